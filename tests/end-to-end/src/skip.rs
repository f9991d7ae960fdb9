//! Tests that can't run here.

use std::env;
use std::io::{self, Write as _};
use std::panic;
use std::thread;

/// Reports that this test does not run here. The test should return.
///
/// `cargo xtask vm` counts the test as skipped.
pub fn skip(reason: &str) {
    let test = thread::current();
    let reason = reason.trim_end().replace('\n', " ");
    // Neither captured nor in the middle of another line
    let line = format!("skipped {}: {reason}\n", test.name().unwrap_or("a test"));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Ends a test that needs a program which this machine lacks. `cargo xtask vm` does not count it as failed.
pub fn need(program: &str) {
    let missing = env::var("MISSING_PROGRAMS").unwrap_or_default();
    if missing.split(' ').any(|missing| missing == program) {
        skip(&format!("no {program} in this machine"));
        panic::resume_unwind(Box::new("skipped"));
    }
}
