//! Without `--bench`, as `cargo test --benches` starts it, each case runs once and natively.

use end_to_end_tests::{Suite, need, run, runner, tree};

#[test]
fn each_case_runs_without_valgrind() {
    let order = Suite::new("order");
    let run = run(order.bare().env("PATH", order.subdirectory("none"))).expect(0);
    let expected = [
        "test order::numbers::fibonacci::five ... ok",
        "test order::numbers::fibonacci::fifteen ... ok",
        "test order::numbers::bubble_sort::ten ... ok",
        "test order::numbers::bubble_sort::hundred ... ok",
        "test order::numbers::standard_sort::thousand ... ok",
        "test order::texts::string::hundred ... ok",
        "test order::texts::tree::pangram ... ok",
        "test order::texts::copy::kilobyte ... ok",
    ];
    let lines: Vec<_> = run.stdout.lines().filter(|line| line.contains(" ... ")).collect();
    assert_eq!(lines, expected);
    assert_eq!(run.stderr, "");
    assert_eq!(tree(order.root()).into_keys().collect::<Vec<_>>(), ["none/"]);
}

#[test]
fn a_panic_fails_the_test_and_the_others_run() {
    let panics = Suite::new("panics");
    let run = run(&mut panics.bare());
    assert!(run.code.is_some_and(|code| code != 0), "{run:?}");
    for line in [
        "test panics::group::good_before ... ok",
        "test panics::group::panics::always ... FAILED",
        "test panics::group::good_after ... ok",
    ] {
        assert!(run.stdout.contains(line), "no {line:?} in {}", run.stdout);
    }
    assert_eq!(run.stdout.matches("the last benchmark runs").count(), 1, "{}", run.stdout);
    run.complains(&["attempt to divide by zero"]);
}

#[test]
fn a_case_that_closes_all_descriptors_leaves_the_others_their_output() {
    let sabotage = Suite::new("sabotage");
    for is_captured in ["yes", "no", "stdout", "stderr"] {
        let mut command = sabotage.bare();
        command.env("IAI_CALLGRIND_NOCAPTURE", is_captured);
        let run = run(command.args(["good", "closes_descriptors"])).expect(0);
        for name in ["good_before", "closes_descriptors", "good_after"] {
            let line = format!("test sabotage::group::{name} ... ok\n");
            assert!(run.stdout.contains(&line), "{is_captured}: {run:?}");
        }
        assert!(run.stdout.contains("test result: ok. 3 passed"), "{is_captured}: {run:?}");
    }
}

#[test]
fn the_cases_can_be_listed() {
    need("cargo");
    let order = Suite::new("order");
    let list = |arguments: &[&str]| {
        run(order.bare().env("IAI_CALLGRIND_RUNNER", runner()).args(arguments)).expect(0).stdout
    };
    let all = list(&["--list"]);
    assert!(all.starts_with("order::numbers::fibonacci::five: benchmark\n"), "{all}");
    assert!(all.ends_with("\n\n0 tests, 8 benchmarks\n"), "{all}");
    assert_eq!(list(&["--bench", "--list"]), all);
    assert_eq!(
        list(&["--list", "--format", "terse", "*::bubble_sort::*"]),
        "order::numbers::bubble_sort::ten: benchmark\norder::numbers::bubble_sort::hundred: benchmark\n"
    );
    assert_eq!(list(&["--list", "--format", "terse", "--ignored"]), "");
}

#[test]
fn one_case_can_be_run() {
    let order = Suite::new("order");
    let arguments = ["--exact", "order::texts::tree::pangram", "--nocapture"];
    let stdout = run(order.bare().args(arguments)).expect(0).stdout;
    for part in [
        "running 1 test\ntest order::texts::tree::pangram ... ok\n",
        " 1 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out;",
    ] {
        assert!(stdout.contains(part), "no {part:?} in {stdout}");
    }
    let wrong = run(order.bare().arg("--parallel=2")).expect(2);
    wrong.complains(&["unexpected argument `--parallel=2`", "`--list`"]);
}

#[test]
fn a_case_that_hangs_ends_the_test() {
    let hangs = Suite::new("hangs");
    let with_timeout =
        |timeout| run(hangs.bare().env("IAI_CALLGRIND_TIMEOUT", timeout).arg("group::sleeps"));
    let killed = with_timeout("500ms").expect(101);
    killed.complains(&[
        "error: hangs::group::sleeps timed out after 500ms\nhelp: check for a deadlock",
    ]);
    let wrong = with_timeout("10").expect(2);
    wrong.complains(&["error: in IAI_CALLGRIND_TIMEOUT: expected a duration such as `10s`"]);
}

#[test]
fn streams_can_be_hidden() {
    let prints = Suite::new("prints");
    for (value, stdout, stderr) in [
        ("yes", true, true),
        ("stdout", true, false),
        ("stderr", false, true),
        ("no", false, false),
    ] {
        let run = run(prints.bare().env("IAI_CALLGRIND_NOCAPTURE", value)).expect(0);
        assert_eq!(run.stdout.contains("Output to stdout: 10"), stdout, "{value}: {run:?}");
        assert_eq!(
            run.stderr.contains("Error output during teardown: 20"),
            stderr,
            "{value}: {run:?}"
        );
        assert!(run.stdout.contains("test prints::my_bench_group::my_bench::some_id ... ok"));
    }
    let panics = Suite::new("panics");
    let failed = run(panics.bare().env("IAI_CALLGRIND_NOCAPTURE", "no")).expect(101);
    failed.complains(&["attempt to divide by zero"]);
}
