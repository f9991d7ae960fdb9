//! Requests of `cachegrind.h`, which Valgrind has since 3.22. Older versions and other tools ignore them.

use valgrind_headers::cachegrind::{CG_START_INSTRUMENTATION, CG_STOP_INSTRUMENTATION};

use super::request;

/// Starts to count, unless cachegrind counts already.
#[inline(always)]
pub fn start_instrumentation() {
    request(0, CG_START_INSTRUMENTATION, []);
}

/// Stops counting, unless cachegrind has stopped already.
///
/// With the option `--instr-at-start=no` cachegrind does not count at the start.
#[inline(always)]
pub fn stop_instrumentation() {
    request(0, CG_STOP_INSTRUMENTATION, []);
}
