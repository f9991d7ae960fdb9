//! The errors of reading and writing profiles.

use std::io;
use std::path::{Path, PathBuf};

use crate::malformed::Malformed;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of reading or writing a profile.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("can't {action} {}: {source}", path.display())]
    Io {
        /// The attempted action: `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Callgrind did not write the file like this.
    #[error("{}:{line}: {cause}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The number of the line, counted from one.
        line: usize,
        /// The reason.
        cause: Malformed,
    },
    /// There is no dump to merge.
    #[error("callgrind wrote no profile for {}", path.display())]
    NoDump {
        /// The profile that was to be written.
        path: PathBuf,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn malformed(path: &Path, line: usize, cause: Malformed) -> Self {
        Self::Malformed { path: path.to_owned(), line, cause }
    }
}
