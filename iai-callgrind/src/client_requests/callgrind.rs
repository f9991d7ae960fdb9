//! The requests of `callgrind.h`.

use std::ffi::CStr;

use valgrind_headers::callgrind::{
    DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT, ZERO_STATS,
};

use super::request_with;

/// Sets what was counted up to now to zero.
#[inline(always)]
pub(crate) fn zero_stats() {
    request_with(ZERO_STATS, 0);
}

/// Switches collection on if it is off in this thread, and off if it is on.
#[inline(always)]
pub(crate) fn toggle_collect() {
    request_with(TOGGLE_COLLECT, 0);
}

/// Writes what was counted up to now into a file of its own under this label, and starts from zero.
#[inline(always)]
pub(crate) fn dump_stats_at(label: &'static CStr) {
    request_with(DUMP_STATS_AT, label.as_ptr().addr());
}

/// Has callgrind instrument what runs from here on, beginning with empty caches.
#[inline(always)]
pub(crate) fn start_instrumentation() {
    request_with(START_INSTRUMENTATION, 0);
}

/// Has callgrind instrument nothing any more.
#[inline(always)]
pub(crate) fn stop_instrumentation() {
    request_with(STOP_INSTRUMENTATION, 0);
}
