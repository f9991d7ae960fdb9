//! The requests of `cachegrind.h`, which Valgrind has since 3.22. Older ones, and the tools other than
//! cachegrind, ignore them.

use valgrind_headers::cachegrind::{CG_START_INSTRUMENTATION, CG_STOP_INSTRUMENTATION};

use super::request;

/// Starts to count, unless cachegrind does so already.
#[inline(always)]
pub fn start_instrumentation() {
    request(0, CG_START_INSTRUMENTATION, []);
}

/// Stops counting, unless cachegrind does not count already.
///
/// With the option `--instr-at-start=no` cachegrind starts in that state.
#[inline(always)]
pub fn stop_instrumentation() {
    request(0, CG_STOP_INSTRUMENTATION, []);
}
