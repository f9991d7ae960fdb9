//! Client requests of the harness itself.
//!
//! Every benchmark executable makes these requests, without the cargo feature `client_requests` too. The
//! instructions and the numbers are the same as those of the module `client_requests`.

use crate::arch;

/// Makes a request with one argument and ignores the result.
#[inline(always)]
pub fn request(number: usize, argument: usize) {
    arch::request(0, &[number, argument, 0, 0, 0, 0]);
}

/// Requests of `callgrind.h`.
pub mod callgrind {
    pub use valgrind_headers::callgrind::{
        DUMP_STATS_AT, START_INSTRUMENTATION, STOP_INSTRUMENTATION, TOGGLE_COLLECT, ZERO_STATS,
    };

    use super::request;

    /// Sets all costs to zero.
    #[inline(always)]
    pub fn zero_stats() {
        request(ZERO_STATS, 0);
    }

    /// Switches collection on if it is off in this thread, and off if it is on.
    #[inline(always)]
    pub fn toggle_collect() {
        request(TOGGLE_COLLECT, 0);
    }
}

/// Requests of `cachegrind.h`.
pub mod cachegrind {
    pub use valgrind_headers::cachegrind::CG_START_INSTRUMENTATION;
    use valgrind_headers::cachegrind::CG_STOP_INSTRUMENTATION;

    use super::request;

    /// Starts to count.
    #[inline(always)]
    pub fn start_instrumentation() {
        request(CG_START_INSTRUMENTATION, 0);
    }

    /// Stops counting.
    #[inline(always)]
    pub fn stop_instrumentation() {
        request(CG_STOP_INSTRUMENTATION, 0);
    }
}

/// Requests of `valgrind.h`.
pub mod valgrind {
    use core::ffi::CStr;

    use valgrind_headers::valgrind::GDB_MONITOR_COMMAND;
    pub use valgrind_headers::valgrind::RUNNING_ON_VALGRIND;

    use super::request;
    use crate::arch;

    /// Returns the number of nested Valgrinds that run the program, 0 natively.
    #[must_use]
    pub fn running_on_valgrind() -> usize {
        arch::request(0, &[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0])
    }

    /// Executes a monitor command, as gdb's `monitor` does.
    #[inline(always)]
    pub fn monitor_command(command: &'static CStr) {
        request(GDB_MONITOR_COMMAND, command.as_ptr().expose_provenance());
    }
}
