//! The output of benchmarks is captured, and shown when the user asks for it.

use end_to_end_tests::lines::printed;
use end_to_end_tests::{Suite, run};

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
fn what_benchmarks_print_is_captured() {
    let prints = Suite::new("prints");
    for arguments in [&[][..], &["--nocapture=no"]] {
        let run = prints.run(arguments).expect(0);
        assert!(between(&run.stdout).is_empty());
        assert_eq!(run.stderr, "");
    }
}

#[test]
fn it_is_shown_below_the_title() {
    let prints = Suite::new("prints");
    let shown = |argument| prints.run(&[argument]).expect(0).stdout;
    assert_eq!(between(&shown("--nocapture")), [STDOUT, STDERR, END]);
    assert_eq!(between(&shown("--nocapture=yes")), [STDOUT, STDERR, END]);
    assert_eq!(between(&shown("--nocapture=stdout")), [STDOUT, END]);
    assert_eq!(between(&shown("--nocapture=stderr")), [STDERR, END]);
    let by_variable = run(prints.command().env("IAI_CALLGRIND_NOCAPTURE", "true")).expect(0);
    assert_eq!(between(&by_variable.stdout), [STDOUT, STDERR, END]);
    prints.run(&["--nocapture=all"]).expect(2).complains(&["`stdout` or `stderr`"]);
}
