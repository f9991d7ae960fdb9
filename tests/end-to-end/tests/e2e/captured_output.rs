//! The output of benchmarks is captured, and shown when the user asks for it. Its forms are among the stored cases.

use end_to_end_tests::Suite;
use end_to_end_tests::lines::printed;

const TITLE: &str = "prints::my_bench_group::my_bench some_id:10";
const STDOUT: &str = "Output to stdout: 10";
const STDERR: &str = "Error output during teardown: 20";
const END: &str = "- end of stdout/stderr";

/// Returns the lines between the title and the metrics.
#[track_caller]
fn between(stdout: &str) -> Vec<&str> {
    printed(stdout, |line| line == TITLE)
}

#[test]
fn what_benchmarks_print_is_captured_and_shown_below_the_title_if_that_is_asked_for() {
    let prints = Suite::new("prints");
    let run = prints.run(&[]).expect(0);
    assert!(between(&run.stdout).is_empty());
    assert_eq!(run.stderr, "");
    let run = prints.run(&["--nocapture"]).expect(0);
    assert_eq!(between(&run.stdout), [STDOUT, STDERR, END]);
}
