//! The benchmarks of `failures.rs`.

/// The benchmarks of `failures.rs` that succeed.
pub const GOOD: [&str; 3] = ["group::good_before", "group::good_between", "group::good_after"];

/// The benchmarks that fail, with their titles, reasons and outputs.
pub const BAD: [(&str, &str, &str, &[&str]); 8] = [
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
