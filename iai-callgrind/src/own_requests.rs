//! The requests that the harness makes for itself.
//!
//! They are made in every benchmark executable, whereas those of `client_requests` are only made if
//! the user asks for them by that feature. The instructions and the numbers are the same.

use crate::arch;

/// A request with one argument, whose answer nobody needs.
#[inline(always)]
fn request(number: usize, argument: usize) {
    arch::request(0, &[number, argument, 0, 0, 0, 0]);
}

/// The requests of `callgrind.h`.
pub(crate) mod callgrind {
    use std::ffi::CStr;

    use valgrind_headers::callgrind::{
        DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT, ZERO_STATS,
    };

    use super::request;

    /// Sets what was counted up to now to zero.
    #[inline(always)]
    pub(crate) fn zero_stats() {
        request(ZERO_STATS, 0);
    }

    /// Switches collection on if it is off in this thread, and off if it is on.
    #[inline(always)]
    pub(crate) fn toggle_collect() {
        request(TOGGLE_COLLECT, 0);
    }

    /// Writes what was counted up to now into a file of its own under this label, and starts from
    /// zero.
    #[inline(always)]
    pub(crate) fn dump_stats_at(label: &'static CStr) {
        request(DUMP_STATS_AT, label.as_ptr().expose_provenance());
    }

    /// Has callgrind instrument what runs from here on, beginning with empty caches.
    #[inline(always)]
    pub(crate) fn start_instrumentation() {
        request(START_INSTRUMENTATION, 0);
    }

    /// Has callgrind instrument nothing any more.
    #[inline(always)]
    pub(crate) fn stop_instrumentation() {
        request(STOP_INSTRUMENTATION, 0);
    }
}

/// The requests of `cachegrind.h`.
pub(crate) mod cachegrind {
    use valgrind_headers::cachegrind::{CG_START_INSTRUMENTATION, CG_STOP_INSTRUMENTATION};

    use super::request;

    /// Has cachegrind count from here on.
    #[inline(always)]
    pub(crate) fn start_instrumentation() {
        request(CG_START_INSTRUMENTATION, 0);
    }

    /// Has cachegrind count no more.
    #[inline(always)]
    pub(crate) fn stop_instrumentation() {
        request(CG_STOP_INSTRUMENTATION, 0);
    }
}

/// The requests of `valgrind.h`.
pub(crate) mod valgrind {
    use std::ffi::CStr;

    use valgrind_headers::valgrind::{GDB_MONITOR_COMMAND, RUNNING_ON_VALGRIND};

    use super::request;
    use crate::arch;

    /// How many Valgrinds the program runs under: 0 natively.
    pub(crate) fn running_on_valgrind() -> usize {
        arch::request(0, &[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0])
    }

    /// Executes a command as gdb's `monitor` does.
    #[inline(always)]
    pub(crate) fn monitor_command(command: &'static CStr) {
        request(GDB_MONITOR_COMMAND, command.as_ptr().expose_provenance());
    }
}
