//! Functions that differ by platform. Both files have the same names.
//!
//! The instructions of client requests are in `arch`, and the fixed surroundings exist on Linux only.

use std::io;

#[cfg_attr(not(unix), path = "windows.rs")]
mod unix;

pub(crate) use self::unix::{
    HAS_RUNNER, Original, copy_of_stderr, file_time, interruption, redirect, restore, start, time,
    wait,
};

/// `true` if benchmarks can be counted on this platform.
pub(crate) const COUNTS: bool = cfg!(target_os = "linux");

/// Output stream of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
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
