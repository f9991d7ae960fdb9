//! Benchmarks that fail don't keep the others from running, and say what happened.

use std::fs;

use end_to_end_tests::{Suite, assert_unchanged, tree};

/// The benchmarks of `failures.rs` that succeed.
const GOOD: [&str; 3] = ["group::good_before", "group::good_between", "group::good_after"];

/// Those that fail, with their titles, why, and what they said.
const BAD: [(&str, &str, &str, &[&str]); 8] = [
    (
        "group::panics",
        "panics",
        "panicked",
        &["output before a panic", "error output before a panic", "no way on"],
    ),
    ("group::panics_around::set_up", "panics_around set_up", "panicked", &["no way in"]),
    ("group::panics_around::tear_down", "panics_around tear_down", "panicked", &["no way out"]),
    (
        "group::exits_with_3",
        "exits_with_3",
        "exit status: 3",
        &["output before an exit", "error output before an exit"],
    ),
    (
        "group::exits_with_0",
        "exits_with_0",
        "ended its process before it returned",
        &["output before a quiet exit", "error output before a quiet exit"],
    ),
    (
        "group::segfaults",
        "segfaults",
        "SIGSEGV",
        &["output before a crash", "error output before a crash"],
    ),
    (
        "group::aborts",
        "aborts",
        "SIGABRT",
        &["output before an abort", "error output before an abort"],
    ),
    (
        "group::unknown_instruction",
        "unknown_instruction",
        "SIGILL): Valgrind does not know the instruction at ",
        &["output before an instruction", "error output before an instruction"],
    ),
];

#[test]
fn a_failing_benchmark_alone_fails_the_run() {
    for (name, ..) in BAD {
        let run = Suite::new("failures").run(&[&format!("failures::{name}")]).expect(1);
        assert!(run.report().names().is_empty());
    }
    let _ = Suite::new("failures").run(&["good"]).expect(0);
}

#[test]
fn previous_results_of_failed_benchmarks_stay_as_they_were() {
    let failures = Suite::new("failures");
    let _ = failures.report(&["good_before"]);
    let profile = failures.result(GOOD[0], "out");
    for (bad, ..) in BAD {
        for extension in ["out", "log", "old.out", "base@main.out"] {
            let result = failures.result(bad, extension);
            fs::create_dir_all(result.parent().unwrap()).unwrap();
            fs::copy(&profile, result).unwrap();
        }
    }
    let of_failed = || {
        let mut files = tree(&failures.directory());
        files.retain(|path, _| !path.contains("good"));
        files
    };
    let before = of_failed();
    let _ = failures.run(&[]).expect(1);
    assert_unchanged(&before, &of_failed());
    let _ = failures.run(&["--save-baseline=main"]).expect(1);
    assert_unchanged(&before, &of_failed());
    assert!(failures.result(GOOD[0], "base@main.out").is_file());
}
