//! What can be wrong with a profile.

use std::io;
use std::path::{Path, PathBuf};

/// What to do about a file that can't be read to its end
pub(super) const REMOVE_IT: &str =
    "it is truncated or not a callgrind profile; remove it to start afresh";

/// A profile that can't be read, or several that can't be joined
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProfileError {
    /// The operating system refused to read, write, rename or remove the file
    #[error("{}: {error}", path.display())]
    Io {
        /// The file
        path: PathBuf,
        /// What the system says
        error: io::Error,
    },
    /// The file isn't what callgrind writes
    #[error("{}:{line}: {message}", path.display())]
    Malformed {
        /// The file
        path: PathBuf,
        /// The number of the line, counted from one
        line: u64,
        /// What is wrong with it and what to do
        message: String,
    },
    /// There is no profile to join
    #[error("callgrind wrote no profile for {}", path.display())]
    NoParts {
        /// The file that would have been written
        path: PathBuf,
    },
}

impl ProfileError {
    /// For `map_err`: adds the path that an I/O error lacks
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), error }
    }

    pub(super) fn malformed(path: &Path, line: u64, message: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), line, message: message.into() }
    }
}
