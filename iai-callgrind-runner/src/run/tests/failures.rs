//! Benchmarks that fail, and what the others then report.

use std::fs;

use iai_callgrind_plan::protocol::FAILED;

use super::*;

#[test]
fn a_failure_is_reported_with_its_output_and_the_others_run() {
    const PANIC: i32 = 101 << 8;
    let lab = Lab::new();
    lab.run(CASES, &[]).unwrap();
    for (status, reason) in [
        (PANIC, "the benchmark panicked"),
        (FAILED << 8, "the benchmark failed"),
        (3 << 8, "the benchmark ended its process with exit status: 3"),
        (libc::SIGSEGV, "the benchmark was killed by signal 11 (SIGSEGV)"),
        (0, "the benchmark ended its process before it returned"),
    ] {
        let cases = [CASES[0], StoredCase::failed(status), CASES[2]];
        let (tally, printed) = lab.run(cases, &[]).unwrap();
        assert_eq!((tally.finished, tally.failed), (3, 1));
        let error = format!("error: file::group::second id:(1, \"a\"): {reason}");
        let output = "\n  output:\n    output of 1\n";
        for part in [&*error, output, "file::group::third id:"] {
            assert!(printed.contains(part), "no {part:?} in {printed}");
        }
        let stored = fs::read_to_string(lab.stored("second", ".out")).unwrap();
        assert!(stored.contains("totals: 200\n"), "the last result stays: {stored}");
    }
}

#[test]
fn a_benchmark_whose_end_is_not_seen_has_failed() {
    let cases = [CASES[0], StoredCase::failed(LOST), CASES[2]];
    let (tally, printed) = Lab::new().run(cases, &[]).unwrap();
    assert_eq!((tally.finished, tally.failed), (3, 1));
    let error =
        "error: file::group::second id:(1, \"a\"): its end was not seen, so there is no result\n";
    assert!(printed.contains(error), "{printed}");
}

#[test]
fn a_failure_under_one_tool_does_not_hide_the_results_of_the_others() {
    let lab = Lab::new();
    let path = lab.home.path().join("report.json");
    let report = format!("--report=json:{}", path.display());
    // There are no files of DHAT
    let (tally, printed) = lab.run(CASES, &["--tools=dhat", "first", &report]).unwrap();
    assert_eq!((tally.finished, tally.failed), (1, 1), "{printed}");
    for part in [
        "\n  Instructions:                 100|N/A ",
        "error: file::group::first id:(1, \"a\"): dhat: ",
        "Iai-Callgrind result: Failed. 1 benchmark",
    ] {
        assert!(printed.contains(part), "no {part:?} in {printed}");
    }
    assert!(lab.stored("first", ".out").exists());
    let text = fs::read_to_string(path).unwrap();
    let [summary] = &*iai_callgrind_summary::Summary::read_all(&text).unwrap() else {
        panic!("{text}")
    };
    assert!(summary.error.as_ref().is_some_and(|error| error.starts_with("dhat: ")), "{text}");
    let tools: Vec<_> = summary.tools.iter().map(|tool| &*tool.tool).collect();
    assert_eq!(tools, ["callgrind"]);
}

#[test]
fn functions_need_a_benchmark_executable() {
    let lab = Lab::new();
    let plan = Plan { executable: None, ..lab.plan() };
    let error = lab.run_plan(plan, CASES, &[]).unwrap_err().to_string();
    assert_eq!(error, "can't use the plan: it has functions, but no benchmark executable");
}
