//! Features that benchmark files of other harnesses use.

use end_to_end_tests::Suite;

/// Returns the lines below the title that starts like this.
fn lines<'a>(stdout: &'a str, title: &str) -> Vec<&'a str> {
    let lines = stdout.lines().skip_while(|line| !line.starts_with(title)).skip(1);
    lines.take_while(|line| line.starts_with([' ', '|'])).collect()
}

#[test]
fn a_signal_can_be_the_expected_end_of_a_command() {
    let run = Suite::new("migrated").run(&["::signal::"]).expect(1);
    for title in ["migrated::signal::signals one:", "migrated::signal::signals one_of_two:"] {
        assert!(!lines(&run.stdout, title).is_empty(), "{title}\n{}", run.stdout);
    }
    run.complains(&[
        "the command was killed by signal 11 (SIGSEGV), but one of the signals [6, 9] is expected",
        "the command ended with exit code 0, but signal 11 is expected",
    ]);
}

#[test]
fn a_closure_adds_functions_with_an_attribute() {
    let report = Suite::new("migrated").report(&["::attribute::"]);
    let names = ["echo::a", "echo::more_0", "echo::more_1", "other::d"];
    assert_eq!(report.names(), names.map(|name| format!("attribute::{name}")));
}

#[test]
fn a_repeated_function_is_compared_with_itself() {
    let run = Suite::new("migrated").run(&["::twice::", "--show-grid"]).expect(0);
    let lines = lines(&run.stdout, "migrated::twice::echo_2 a:");
    let comparison = lines.iter().position(|line| line.starts_with("| Comparison with echo a:"));
    let compared = &lines[comparison.expect("a comparison") + 1..];
    assert_eq!(compared.len(), 6, "{lines:?}");
    assert!(compared.iter().all(|line| line.contains("(No change)")), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("| ")), "{lines:?}");
}

#[test]
fn a_disabled_default_tool_does_not_run() {
    let run = Suite::new("migrated").run(&["::only_dhat::echo::a"]).expect(0);
    let lines = lines(&run.stdout, "migrated::only_dhat::echo a:");
    assert!(lines[0].starts_with("  Total bytes:"), "{lines:?}");
    assert!(!run.stdout.contains("Instructions"), "{}", run.stdout);
    let arguments = ["::attribute::echo::a", "--default-tool=dhat"];
    assert!(!Suite::new("migrated").run(&arguments).expect(0).stdout.contains("Instructions"));
}

#[test]
fn a_group_limits_its_parallel_benchmarks() {
    let report = Suite::new("migrated").report(&["::limited::", "--parallel=3"]);
    assert_eq!(report.benchmarks.len(), 3);
}
