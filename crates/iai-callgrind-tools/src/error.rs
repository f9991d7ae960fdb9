//! The error of this crate.

use std::io;
use std::path::Path;

use iai_callgrind_base::FileError;
use iai_callgrind_process::ProcessError;

use crate::tool::ToolFailure;
use crate::valgrind::error::ValgrindError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why Valgrind can't run, or has no counts.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A process can't run.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// Valgrind can't run.
    #[error("{0}")]
    Valgrind(#[from] ValgrindError),
    /// There are no counts.
    #[error("{0}")]
    Tool(#[from] ToolFailure),
}

impl From<iai_callgrind_profile::Error> for Error {
    fn from(error: iai_callgrind_profile::Error) -> Self {
        FileError::from(error).into()
    }
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}
