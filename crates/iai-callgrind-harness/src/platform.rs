//! Functions that differ by platform. Both files have the same names.
//!
//! The instructions of client requests are in `arch`, and the fixed surroundings exist on Linux only.

use std::ffi::c_int;
use std::io;

#[cfg_attr(not(unix), path = "platform/windows.rs")]
mod unix;

#[cfg(unix)]
pub(crate) use self::unix::run_on;
pub(crate) use self::unix::{
    HAS_RUNNER, Original, StandardStreams, beyond_limit, copy_of_stderr, cpu_time, file_time,
    has_started_processes, interruption, is_absent, redirect, report_ends_of_children, restore,
    stack_size, start, time, wait, wait_for_tick,
};

/// `true` if benchmarks can be counted on this platform.
pub(crate) const COUNTS: bool = cfg!(target_os = "linux");

/// Makes this process run natively, as if the harness defined no function of the C library.
pub(crate) fn use_library() {
    #[cfg(fixed_surroundings)]
    crate::surroundings::use_library();
}

/// Output stream of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn _exit(code: c_int) -> !;
}

/// Runs a function at the end of this process, after `main` and after the destructors of the thread.
pub(crate) fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: the function is there as long as the process.
    unsafe { atexit(function) == 0 }
}

/// Writes what the standard output has buffered.
pub(crate) fn flush() {
    let _ = io::Write::flush(&mut io::stdout());
}

/// Ends this process without the functions that run at its end.
pub(crate) fn end(code: u8) -> ! {
    flush();
    // SAFETY: always allowed.
    unsafe { _exit(code.into()) }
}

impl Stream {
    /// Returns the stream as Rust's standard library writes to it.
    pub(crate) fn writer(self) -> Box<dyn io::Write> {
        match self {
            Self::Stdout => Box::new(io::stdout()),
            Self::Stderr => Box::new(io::stderr()),
        }
    }
}
