//! The lines of libtest around the cases: their list, or their number and a summary.

use std::process::ExitCode;
use std::time::Instant;

/// Exit code of libtest when a test fails.
pub(super) const FAILED: u8 = 101;

/// Prints the names of the cases.
pub(super) fn list(names: &[&str], terse: bool) {
    let number = names.len();
    for name in names {
        println!("{name}: benchmark");
    }
    if !terse {
        println!("\n0 tests, {number} benchmark{}", if number == 1 { "" } else { "s" });
    }
}

/// Numbers of cases.
pub(super) struct Numbers {
    pub(super) selected: usize,
    /// Selected cases that can't run.
    pub(super) ignored: usize,
    pub(super) filtered_out: usize,
}

/// Runs cases, and prints a summary.
pub(super) fn test(numbers: &Numbers, run: impl FnOnce() -> Failures) -> ExitCode {
    let (start, selected) = (Instant::now(), numbers.selected);
    println!("\nrunning {selected} test{}", if selected == 1 { "" } else { "s" });
    summarize(numbers, &run(), start)
}

/// Prints a summary of cases that ran from `start` on.
pub(super) fn summarize(numbers: &Numbers, failures: &Failures, start: Instant) -> ExitCode {
    let Numbers { selected, ignored, filtered_out } = *numbers;
    let Failures { cases: failed, hooks } = *failures;
    let passed = failed == 0 && hooks == 0;
    println!(
        "\ntest result: {}. {} passed; {failed} failed; {ignored} ignored; 0 measured; {filtered_out} filtered out; \
         finished in {:.2}s\n",
        if passed { "ok" } else { "FAILED" },
        selected - failed - ignored,
        start.elapsed().as_secs_f64()
    );
    if passed { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

/// Numbers of cases and hooks that panicked.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) cases: usize,
    pub(super) hooks: usize,
}
