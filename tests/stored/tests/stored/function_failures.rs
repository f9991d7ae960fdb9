//! Benchmarks that fail don't keep the others from running, and say what happened.

use std::fs;

use end_to_end_tests::failures::{BAD, GOOD};
use end_to_end_tests::{Suite, assert_unchanged, tree};

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
