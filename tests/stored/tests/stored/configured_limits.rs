//! Limits in the benchmark file.

use end_to_end_tests::{Suite, run};

fn name(id: &str) -> String {
    format!("some_group::sum::{id}")
}

/// Returns a suite in which each benchmark has an old result of this percentage less or more than the new one.
fn with_change(percent: i64) -> Suite {
    let arguments = ["--callgrind-limits=ir=1000000", "--regression-fail-fast=no"];
    let (suite, first) = Suite::after("regression", &arguments);
    for id in ["five_percent", "default", "hard", "fail_fast", "after"] {
        let new = i64::try_from(first.instructions(&name(id))).expect("a small number");
        suite.pretend(&name(id), u64::try_from(new * 100 / (100 + percent)).expect("not negative"));
    }
    suite
}

#[test]
fn the_limit_of_the_file_holds_where_there_is_no_other() {
    let run = with_change(7).run(&["--skip=hard"]).expect(3);
    let report = run.report();
    let broken = &report.get(&name("five_percent")).regressions;
    assert!(broken.len() == 1 && broken[0].contains(" (limit +5 %): "), "{broken:?}");
    assert!(report.get(&name("default")).regressions.is_empty(), "10 % are allowed there");
    assert!(report.get(&name("fail_fast")).regressions.is_empty(), "only less is forbidden there");
    assert_eq!(report.get(&name("after")).regressions.len(), 1);
}

#[test]
fn the_default_is_ten_percent() {
    let report = with_change(12).run(&["sum::default"]).expect(3).report();
    let broken = &report.get(&name("default")).regressions;
    assert!(broken.len() == 1 && broken[0].contains(" (limit +10 %): "), "{broken:?}");
}

#[test]
fn a_hard_limit_holds_instead_of_the_files_soft_one() {
    let report = with_change(7).run(&["sum::hard"]).expect(3).report();
    let broken = &report.get(&name("hard")).regressions;
    assert!(broken.len() == 1 && broken[0].ends_with(" (limit 10)"), "{broken:?}");
}

#[test]
fn fail_fast_ends_the_run() {
    let report = with_change(-10).run(&["--skip=hard"]).expect(3).report();
    assert_eq!(report.names(), ["five_percent", "default", "fail_fast"].map(name));
    let broken = &report.get(&name("fail_fast")).regressions;
    assert!(broken.len() == 1 && broken[0].contains(" (limit -5 %): "), "{broken:?}");
}

#[test]
fn the_command_line_takes_the_place_of_all_of_them() {
    let suite = with_change(7);
    let _ = suite.report(&["--callgrind-limits=ir=1000%"]);
    let mut command = suite.command();
    command.arg("sum::default").env("IAI_CALLGRIND_CALLGRIND_LIMITS", "ir=1");
    let report = run(&mut command).expect(3).report();
    assert_eq!(report.get(&name("default")).regressions.len(), 1);
}
