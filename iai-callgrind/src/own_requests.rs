//! The requests that the harness makes for itself.
//!
//! They are made in every benchmark executable, whereas those of `client_requests` are only made if
//! the user asks for them by that feature. The instructions and the numbers are the same.

/// The requests of `callgrind.h`.
pub(crate) mod callgrind {
    use std::ffi::CStr;

    use valgrind_headers::callgrind::{DUMP_STATS_AT, TOGGLE_COLLECT, ZERO_STATS};

    use crate::arch;

    /// Sets what was counted up to now to zero.
    #[inline(always)]
    pub(crate) fn zero_stats() {
        arch::request(0, &[ZERO_STATS, 0, 0, 0, 0, 0]);
    }

    /// Switches collection on if it is off in this thread, and off if it is on.
    #[inline(always)]
    pub(crate) fn toggle_collect() {
        arch::request(0, &[TOGGLE_COLLECT, 0, 0, 0, 0, 0]);
    }

    /// Writes what was counted up to now into a file of its own under this label, and starts from
    /// zero.
    #[inline(always)]
    pub(crate) fn dump_stats_at(label: &'static CStr) {
        arch::request(0, &[DUMP_STATS_AT, label.as_ptr().expose_provenance(), 0, 0, 0, 0]);
    }
}

/// The requests of `valgrind.h`.
pub(crate) mod valgrind {
    use valgrind_headers::valgrind::RUNNING_ON_VALGRIND;

    use crate::arch;

    /// How many Valgrinds the program runs under: 0 natively.
    pub(crate) fn running_on_valgrind() -> usize {
        arch::request(0, &[RUNNING_ON_VALGRIND, 0, 0, 0, 0, 0])
    }
}
