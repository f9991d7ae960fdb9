//! The standard streams of this process and of the processes that it starts.
//!
//! Rust opens `/dev/null` instead of a closed stream before `main`, so that all output is lost. The
//! check therefore runs earlier, as an initializer of the executable.

use std::fmt;

use crate::platform::{closed_stream, has_null_device};

/// Reason why the runner cannot print anything, or start a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamError {
    /// This output stream was closed when the process started.
    Closed(&'static str),
    /// There is no `/dev/null`, which is the standard input of most programs.
    NoNullDevice,
}

impl fmt::Display for StreamError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(stream) => write!(formatter, "can't write to {stream}: it is closed"),
            Self::NoNullDevice => formatter.write_str(
                "can't start programs: there is no /dev/null\nhelp: mount the system's devices, or run `mknod -m 666 \
                 /dev/null c 1 3` as root",
            ),
        }
    }
}

/// Checks the output streams and the null device.
///
/// # Errors
///
/// Returns the first reason why the runner cannot print or start programs.
pub fn check() -> Result<(), StreamError> {
    match closed_stream() {
        Some(stream) => Err(StreamError::Closed(stream)),
        None if !has_null_device() => Err(StreamError::NoNullDevice),
        None => Ok(()),
    }
}
