//! The output of a run on the terminal.

use end_to_end_tests::{Report, Suite};

#[test]
fn arguments_are_written_as_rustc_writes_tokens() {
    // As documented: `vec![1]` is `vec![1]`
    let (order, _) = Suite::with_two_baselines();
    let report = order.load(&["kilobyte"]).expect(0).report();
    assert_eq!(report.benchmarks[0].title, "order::texts::copy kilobyte:&[7; 1024]");
}

#[test]
fn what_a_benchmark_prints_is_not_in_the_output() {
    let run = Suite::new("failures").run(&["good_between"]).expect(0);
    assert_eq!(Report::parse(&run.stdout).names(), ["group::good_between"]);
    assert_eq!(run.stderr, "");
}
