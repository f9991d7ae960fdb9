//! Benchmarks that fail don't keep the others from running, and say what happened.

use end_to_end_tests::failures::{BAD, GOOD};
use end_to_end_tests::{Suite, here, shared_run};

#[test]
fn the_others_run_and_print() {
    let failures = Suite::new("failures");
    let run = failures.run(&[]).expect(1);
    let report = run.report();
    assert_eq!(report.names(), GOOD);
    let summary = "Failed. 11 benchmarks ran, 0 regressed, 8 failed, in ";
    assert!(report.summary.starts_with(summary), "{}", report.summary);
    for good in GOOD {
        assert!(failures.result(good, "out").is_file(), "{good}");
        assert!(failures.result(good, "log").is_file(), "{good}");
    }
    for (bad, ..) in BAD {
        assert!(!failures.result(bad, "out").exists(), "{bad}");
    }
}

#[test]
fn each_failure_is_reported_once_with_its_cause_and_output() {
    let run = shared_run("failures", &[]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.matches("error: ").count(), BAD.len(), "{}", run.stderr);
    for (_, title, cause, output) in BAD {
        let error = run.error_of(&format!("failures::group::{title}"));
        let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
        assert!(first.contains(cause), "{title}: {error}");
        for part in output {
            assert!(rest.contains(&format!("    {part}")), "{title}: no {part:?} in {error}");
        }
    }
}

#[test]
fn an_instruction_that_valgrind_does_not_know_is_named_with_its_place_and_a_remedy() {
    let run = shared_run("failures", &[]);
    let error = run.error_of("failures::group::unknown_instruction");
    let instructions = [("x86_64", "(0x62 0xF1 0x7D 0x48 0xEF 0xC0 "), ("aarch64", "(0x2518E3E0 ")];
    let instruction = here(&instructions).expect("one for each architecture");
    for part in ["unknown_instruction", "(failures.rs:", instruction, "target-cpu="] {
        let mut lines = error.lines().take(2);
        assert!(lines.any(|line| line.contains(part)), "no {part:?} in {error}");
    }
    // The log is shown from the start of the reason, whatever the length of the executable's path
    assert!(error.contains("unhandled instruction "), "{error}");
    assert!(!error.contains("--native-cpu"), "{error}");
}

#[test]
fn failures_do_not_depend_on_how_many_run_at_once() {
    for parallel in ["--parallel=1", "--parallel=8"] {
        let run = Suite::new("failures").run(&[parallel]).expect(1);
        assert_eq!(run.report().names(), GOOD);
        for (_, title, ..) in BAD {
            assert!(!run.error_of(&format!("failures::group::{title}")).is_empty(), "{title}");
        }
    }
}
