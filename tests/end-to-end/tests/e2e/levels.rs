//! Configuration and hooks of a file, its groups, its functions and their cases.

use std::fs;
use std::process::Command;
use std::sync::LazyLock;

use end_to_end_tests::{Run, Suite, VERSION, clean, run, runner, script};
use serde_json::{Value, json};

/// Returns the plan that the benchmark file gives a runner.
fn plan() -> &'static Value {
    static PLAN: LazyLock<Value> = LazyLock::new(read_plan);
    &PLAN
}

fn read_plan() -> Value {
    let levels = Suite::new("levels");
    let (runner, plan) = (levels.root().join("runner"), levels.root().join("plan.json"));
    let version = format!("iai-callgrind-runner {VERSION}");
    let lines = format!("test \"$1\" = --version && echo {version} || cat >'{}'", plan.display());
    script(&runner, &lines);
    let _ = run(levels.command().env("IAI_CALLGRIND_RUNNER", runner)).expect(0);
    serde_json::from_str(&fs::read_to_string(plan).expect("a plan")).expect("JSON")
}

/// Returns the value of the variable that each level configures.
fn level(of: &Value) -> Option<&str> {
    of["config"]["envs"].as_array()?.first()?["value"].as_str()
}

/// Runs the cases natively, while the hook with this name fails.
fn test(failing: &str, arguments: &[&str]) -> Run {
    let levels = Suite::new("levels");
    run(levels.bare().env("LEVELS_FAIL", failing).args(arguments))
}

/// Returns the hooks that ran, in their order.
fn hooks(run: &Run) -> Vec<&str> {
    run.stdout.lines().filter_map(|line| line.strip_prefix("hook: ")).collect()
}

/// Returns the cases that failed.
fn failed(run: &Run) -> Vec<&str> {
    let lines = run.stdout.lines().filter_map(|line| line.strip_suffix(" ... FAILED"));
    lines.filter_map(|line| line.strip_prefix("test levels::")).collect()
}

const ALL_HOOKS: [&str; 6] =
    ["set-up", "first set-up", "first tear-down", "second set-up", "second tear-down", "tear-down"];

#[test]
fn each_level_has_its_own_configuration_in_the_plan() {
    let plan = plan();
    assert_eq!((level(plan), &plan["config"]["env_clear"]), (Some("file"), &Value::Bool(false)));
    let group = &plan["groups"][0];
    let function = &group["functions"][0];
    assert_eq!((level(group), level(function)), (Some("group"), Some("function")));
    let cases = function["cases"].as_array().expect("an array").iter();
    let cases: Vec<_> = cases.map(|case| (case["id"].as_str(), level(case))).collect();
    let expected = [
        ("one", Some("bench")),
        ("two_0", Some("benches")),
        ("two_1", Some("benches")),
        ("items_0", Some("iter")),
        ("items_1", Some("iter")),
        ("plain", None),
    ];
    assert_eq!(cases, expected.map(|(id, level)| (Some(id), level)));
    assert_eq!(level(&plan["groups"][1]), None);
}

#[test]
fn the_plan_says_who_has_hooks_and_each_runs_alone() {
    let plan = plan();
    let with_hooks =
        |of: &Value| [&of["hooks"]["setup"], &of["hooks"]["teardown"]].map(|it| it == true);
    assert_eq!(with_hooks(plan), [true; 2]);
    let groups = plan["groups"].as_array().expect("an array").iter();
    assert_eq!(groups.map(with_hooks).collect::<Vec<_>>(), [[true; 2], [true; 2], [false; 2]]);

    let levels = Suite::new("levels");
    let hook = |value: &str| run(levels.bare().env("IAI_CALLGRIND_HOOK", value));
    for (value, name) in [
        ("setup", "set-up"),
        ("setup:0", "first set-up"),
        ("teardown:0", "first tear-down"),
        ("setup:1", "second set-up"),
        ("teardown:1", "second tear-down"),
        ("teardown", "tear-down"),
    ] {
        assert_eq!(hook(value).expect(0).stdout, format!("hook: {name}\n"), "{value}");
    }
    for missing in ["setup:2", "teardown:3"] {
        hook(missing).expect(1).complains(&[&format!("no hook `{missing}`")]);
    }
}

#[test]
fn functions_of_the_same_name_in_two_modules_are_two_benchmarks() {
    let report = Suite::new("levels").report(&["same_name"]);
    let names = report.names();
    assert_eq!((&*names[0], &*names[6]), ("group_x::same_name::one", "group_y::same_name"));
    assert!(report.all_instructions().values().all(|count| (1..4).contains(count)), "{report:?}");
}

#[test]
fn tests_run_between_the_hooks_of_their_groups() {
    let all = test("", &[]).expect(0);
    assert_eq!(hooks(&all), ALL_HOOKS);
    let first =
        all.stdout.find("hook: first set-up\ntest levels::group_x::same_name::one ... ok\n");
    let last = all.stdout.find("test levels::plain::without_hooks ... ok\nhook: tear-down\n");
    assert!(first < last, "{}", all.stdout);
    assert!(first.is_some());

    let second = test("", &["group_y"]).expect(0);
    assert_eq!(hooks(&second), ["set-up", "second set-up", "second tear-down", "tear-down"]);
    for nothing_runs in [&["no such benchmark"][..], &["--list"]] {
        assert!(hooks(&test("", nothing_runs).expect(0)).is_empty());
    }
}

#[test]
fn a_set_up_that_panics_fails_the_tests_that_need_it() {
    let group = test("second set-up", &[]).expect(101);
    assert_eq!(failed(&group), ["group_y::same_name"]);
    assert_eq!(
        hooks(&group),
        ALL_HOOKS.into_iter().filter(|it| *it != "second tear-down").collect::<Vec<_>>()
    );
    group.complains(&["second set-up fails", "the setup of levels::group_y panicked"]);
    assert!(group.stdout.contains("FAILED. 7 passed; 1 failed;"), "{}", group.stdout);

    let file = test("set-up", &[]).expect(101);
    assert_eq!((failed(&file).len(), hooks(&file)), (8, vec!["set-up"]));
    file.complains(&["the setup of levels panicked"]);
}

#[test]
fn a_tear_down_that_panics_fails_the_run() {
    for (failing, of) in [("first tear-down", "levels::group_x"), ("tear-down", "levels")] {
        let run = test(failing, &[]).expect(101);
        assert_eq!((failed(&run), hooks(&run)), (Vec::new(), ALL_HOOKS.to_vec()));
        run.complains(&[&format!("the teardown of {of} panicked")]);
        assert!(run.stdout.contains("FAILED. 8 passed; 0 failed;"), "{}", run.stdout);
    }
}

#[test]
fn a_failed_tear_down_is_in_reports_made_from_json() {
    let suite = Suite::new("levels");
    let path = suite.root().join("report.json");
    let report = format!("--report=json:{}", path.display());
    let mut command = suite.command();
    command.env("LEVELS_FAIL", "tear-down").args(["group_x", &report]);
    let _ = run(&mut command).expect(1);
    let json = fs::read_to_string(&path).expect("a report");
    let last: Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["name"], &last["status"]),
        (&json!("levels::setup or teardown"), &json!("failed"))
    );
    let mut command = Command::new(runner());
    let comment = run(clean(&mut command).arg("report").arg(&path)).expect(0).stdout;
    let failure =
        "\n\n❌ `levels::setup or teardown` failed:\n\n```text\nthe teardown of `main!` failed";
    assert!(comment.starts_with("❌ **1 failed**") && comment.contains(failure), "{comment}");
}
