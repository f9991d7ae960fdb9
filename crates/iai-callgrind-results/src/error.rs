//! The errors of this crate.

use std::io;
use std::path::Path;

use iai_callgrind_base::FileError;

use crate::snapshot::error::SnapshotError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a snapshot can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// The snapshot can't be used.
    #[error("{0}")]
    Snapshot(#[from] SnapshotError),
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}
