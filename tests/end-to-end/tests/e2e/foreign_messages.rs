//! Benchmarks that write to the pipe of the harness: each is an error, no process of others is killed, and the others run.

use end_to_end_tests::Suite;

/// The benchmarks that write to it. One of them waits forever after a part of a message.
const FOREIGN: [&str; 11] = [
    "nonsense",
    "text",
    "flood",
    "one_byte",
    "part_and_pause",
    "zeros",
    "forged all:0, [1, 0, 1]",
    "forged negative:0, [1, 0, -2]",
    "forged ends:0, [-1, 0, 0]",
    "forged region:1, [1, 0, 0]",
    "forged time:2, [1, 1, 0]",
];
const ERROR: &str = "foreign bytes on file descriptor 201, which belongs to the harness\nhelp: ";

#[test]
fn each_is_named_and_the_others_run() {
    for parallel in ["--parallel=1", "--parallel=3"] {
        let suite = Suite::new("foreign_messages");
        let Some(run) = suite.run_isolated(&[parallel]) else { return };
        let run = run.expect(1);
        let report = run.report();
        let good = ["good_before", "comes_back_twice", "good_after"];
        let names = good.map(|name| format!("group::{name}"));
        assert_eq!(report.names(), names, "{parallel}: {}", run.stderr);
        let count = |name: &str| report.instructions(&format!("group::{name}"));
        assert_eq!(count("good_before"), count("good_after"), "{parallel}");
        for name in FOREIGN {
            let error = run.error_of(&format!("foreign_messages::group::{name}"));
            assert!(error.contains(ERROR), "{parallel} {name}: {error}");
        }
    }
}

#[test]
fn none_has_a_time() {
    let suite = Suite::new("foreign_messages");
    let Some(run) = suite.run_isolated(&["--time", "--time-budget=200ms"]) else { return };
    let run = run.expect(1);
    for name in FOREIGN {
        let error = run.error_of(&format!("foreign_messages::group::{name}"));
        assert!(error.contains(ERROR), "{name}: {error}");
    }
    for name in ["good_before", "good_after"] {
        assert!(
            run.stdout.contains(&format!("foreign_messages::group::{name} ")),
            "{}",
            run.stdout
        );
    }
}
