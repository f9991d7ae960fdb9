//! The configuration in a benchmark file takes effect: environment, arguments, entry points, hooks.

use std::env::consts::ARCH;

use end_to_end_tests::{Suite, run, shared_run, skip};

/// Returns the output of the benchmark with this title.
fn printed(stdout: &str, title: &str) -> Vec<String> {
    let lines = stdout.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| !line.starts_with("- end of")).map(ToOwned::to_owned).collect()
}

#[test]
fn each_level_overrides_the_one_above_and_variables_add_up() {
    let configuration = Suite::new("configuration");
    let mut command = configuration.command();
    command.args(["--nocapture=stdout", "environment"]);
    command.env("PASSED", "1").env("CASE", "from outside");
    let stdout = run(&mut command).expect(0).stdout;
    let printed = |name: &str| printed(&stdout, &format!("configuration::environment::{name}"));
    let common = ["MAIN=yes", "GROUP=yes"];
    assert_eq!(
        printed("levels plain:"),
        [&["LEVEL=function"], &common[..], &["FUNCTION=yes"]].concat()
    );
    assert_eq!(
        printed("levels own:"),
        [&["LEVEL=case"], &common[..], &["FUNCTION=yes", "CASE=yes", "PASSED=1"]].concat()
    );
    assert_eq!(printed("upper_levels of_group:"), [&["LEVEL=group"], &common[..]].concat());
    assert_eq!(
        printed("not_cleared"),
        [&["LEVEL=group"], &common[..], &["CASE=from outside", "PASSED=1"]].concat()
    );
}

/// Returns the printed instructions of a benchmark, and how many lines there are.
fn counted(id: &str) -> (u64, usize) {
    let stdout = &shared_run("configuration", &["counted"]).stdout;
    let title = format!("configuration::callgrind::counted {id}:1000");
    let lines = stdout.lines().skip_while(|line| *line != title).skip(1);
    let lines: Vec<_> = lines.take_while(|line| line.contains('|')).collect();
    let (value, _) = lines[0].rsplit_once('|').expect("values");
    let value = value.trim_start().strip_prefix("Instructions:").expect("instructions come first");
    (value.trim_start().parse().expect("a number"), lines.len())
}

#[test]
fn arguments_take_effect_with_and_without_dashes() {
    let (default, lines) = counted("default");
    assert_eq!(lines, 6);
    assert_eq!(counted("no_caches"), (default, 1));
    assert_eq!(counted("without_dashes"), (default, 1));
}

/// Returns true, and reports the reason, if a function can't be an entry point here.
fn lacks_entry_points() -> bool {
    if ARCH == "aarch64" {
        skip("entry points of functions are errors on AArch64: callgrind does not know the calls");
    }
    ARCH == "aarch64"
}

#[test]
fn an_entry_point_decides_what_counts() {
    if lacks_entry_points() {
        return;
    }
    let (default, _) = counted("default");
    let (inner, _) = counted("inner");
    // `counted` calls it twice, and executes a few instructions itself
    assert!(inner < default && default < inner + 30, "{inner} of {default}");
    assert_eq!(counted("toggled"), counted("inner"), "the same in the user's own words");
    let (none, _) = counted("none");
    assert!(default < none && none < default + 30, "{default} of {none}");
}

#[test]
fn an_entry_point_that_matched_nothing_is_an_error() {
    if lacks_entry_points() {
        return;
    }
    let run = shared_run("configuration", &["counted"]);
    assert_eq!(run.code, Some(1));
    run.complains(&[
        "configuration::callgrind::counted no_match:1000: nothing was counted",
        "the entry point `configuration::outer`",
        "of a function that is not inlined",
    ]);
    assert!(
        run.stdout.contains("Failed. 7 benchmarks ran, 0 regressed, 1 failed"),
        "{}",
        run.stdout
    );
}

#[test]
fn cold_caches_change_no_instruction_and_no_access() {
    let configuration = Suite::new("configuration");
    let report = configuration.report(&["callgrind::sum"]);
    let values = |id: &str| -> Vec<u64> {
        let benchmark = report.get(&format!("callgrind::sum::{id}"));
        benchmark.lines.iter().map(|line| line.new).collect()
    };
    let (warm, cold) = (values("warm"), values("cold"));
    assert_eq!((warm[0], warm[4]), (cold[0], cold[4]));
    // The thousand numbers are in 125 lines, none of which is in the cache
    assert!(cold[3] >= warm[3] + 125, "RAM hits: {} and {}", warm[3], cold[3]);
    assert_eq!(configuration.report(&["callgrind::sum"]).values(), report.values());

    let run = configuration.run(&["process_with_cold_caches"]).expect(1);
    run.complains(&["starts other processes", "cold_caches"]);
}

/// Returns the hooks that ran, in their order.
fn hooks(stderr: &str) -> Vec<&str> {
    stderr.lines().filter_map(|line| line.strip_prefix("hook: ")).collect()
}

const ALL_HOOKS: [&str; 6] =
    ["set-up", "first set-up", "first tear-down", "second set-up", "second tear-down", "tear-down"];

#[test]
fn hooks_run_once_around_their_benchmarks() {
    let levels = Suite::new("levels");
    // Two of the first group, and the others
    let some = ["--nocapture", "same_name::one", "same_name::two_0", "group_y", "levels::plain"];
    let all = levels.run(&some).expect(0);
    assert_eq!(hooks(&all.stderr), ALL_HOOKS);
    assert_eq!(all.stdout.matches("levels::").count(), 4, "{}", all.stdout);
    let second = levels.run(&["--nocapture=stdout", "group_y"]).expect(0);
    assert_eq!(hooks(&second.stderr), ["set-up", "second set-up", "second tear-down", "tear-down"]);
    let plain = levels.run(&["plain", "--profile-note=no"]).expect(0);
    assert_eq!(plain.stderr, "", "their output is captured");
    let nothing = levels.run(&["--nocapture", "no such benchmark"]).expect(0);
    assert!(hooks(&nothing.stderr).is_empty());
}

#[test]
fn a_hook_that_fails_fails_the_run() {
    let run_with = |failing: &str, filters: &[&str]| {
        let levels = Suite::new("levels");
        run(levels.command().arg("--nocapture").args(filters).env("LEVELS_FAIL", failing))
    };
    let first = run_with("first set-up", &[]).expect(1);
    first.complains(&[
        "error: levels::group_x::same_name one:1: did not run: the setup of its group failed",
        "error: the setup of the group `group_x` failed",
        "first set-up fails",
    ]);
    assert!(first.stdout.contains("Failed. 8 benchmarks ran, 0 regressed, 6 failed"));
    assert!(first.stdout.contains("levels::group_y::same_name\n"), "the others ran");

    let second = run_with("second tear-down", &["group_y", "levels::plain"]).expect(1);
    second.complains(&[
        "error: the teardown of the group `group_y` failed",
        "second tear-down fails",
    ]);
    assert!(
        second.stdout.contains("\nIai-Callgrind result: Failed. 2 benchmarks ran, 0 regressed, in")
    );

    let all = run_with("set-up", &[]).expect(1);
    all.complains(&["error: the setup of `main!` failed", "set-up fails"]);
    assert_eq!(all.stdout, "");
}
