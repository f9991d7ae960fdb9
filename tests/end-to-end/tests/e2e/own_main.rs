//! Files of Criterion with their own `main`.

use std::process::Command;

use end_to_end_tests::{Report, Run, Suite, run};

const FILE: &str = "criterion_own_main";

/// Gives the process the variables that cargo sets.
pub(crate) fn as_cargo(command: &mut Command) -> &mut Command {
    command
        .env("CARGO_PKG_NAME", "benchmark-tests")
        .env("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR"))
}

fn bench(suite: &Suite, arguments: &[&str]) -> Run {
    run(as_cargo(&mut suite.command()).args(arguments))
}

/// Returns the results after the line that the file prints at its start.
fn results(run: &Run) -> Report {
    let rest = run.stdout.strip_prefix("printed before the benchmarks\n");
    Report::parse(rest.expect("a line of the file"))
}

#[test]
fn a_file_with_its_own_main_counts_as_others() {
    let suite = Suite::new(FILE);
    let all = bench(&suite, &[]).expect(0);
    let report = results(&all);
    let counts = |name: &str| report.instructions(name);
    assert_eq!(report.benchmarks.len(), 4, "{}", all.stdout);
    assert_eq!(counts("benches::empty"), 1);
    assert!(counts("counting::20") > counts("counting::10"));
    // What the file prints is there once
    for place in ["before", "between", "after"] {
        let printed = format!("printed {place} the benchmarks\n");
        assert_eq!(all.stdout.matches(&printed).count() + all.stderr.matches(&printed).count(), 1);
    }
    let again = bench(&suite, &["counting", "--parallel=2"]).expect(0);
    assert_eq!(results(&again).benchmarks.len(), 2);
    assert_eq!(again.stdout.matches("(No change)").count(), 12, "{}", again.stdout);
}

#[test]
fn a_file_with_its_own_main_runs_as_a_test_and_lists_its_benchmarks() {
    let suite = Suite::new(FILE);
    let test = run(as_cargo(&mut suite.bare()).arg("counting")).expect(0);
    assert!(test.stdout.contains("test criterion_own_main::counting::20 ... ok\n"));
    assert!(
        test.stdout.contains(
            "\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out"
        )
    );
    let list = run(as_cargo(&mut suite.bare()).arg("--list")).expect(0);
    assert!(
        list.stdout.ends_with("counting::20: benchmark\n\n0 tests, 4 benchmarks\n"),
        "{}",
        list.stdout
    );
}

#[test]
fn a_main_that_panics_is_an_error_of_the_file() {
    let suite = Suite::new(FILE);
    let run = bench(&suite, &["--show=none"]).expect(1);
    run.complains(&[
        "error: criterion_own_main panicked outside of its benchmarks\nhelp: see the message above",
    ]);
    assert!(!run.stdout.contains("Instructions"));
}

#[test]
fn without_cargo_a_file_with_its_own_main_does_not_know_its_package() {
    let suite = Suite::new(FILE);
    let run = run(suite.command().env_remove("CARGO_PKG_NAME")).expect(1);
    run.complains(&[
        "error: can't find the package of the benchmarks: CARGO_PKG_NAME is not set\n",
    ]);
}
