//! Errors of the options of a command.

use std::io;
use std::path::Path;

use iai_callgrind_base::FileError;

/// A result with an error of the command line.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the command line or of what its options name.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A path of the options can't be used.
    #[error("{0}")]
    File(#[from] FileError),
    /// The directory of cargo's results is not known.
    #[error("{0}")]
    Revisions(#[from] iai_callgrind_revisions::Error),
    /// The name of a baseline is not possible.
    #[error("{0}")]
    Store(#[from] iai_callgrind_store::Error),
    /// The options do not fit each other.
    #[error("{0}")]
    Options(#[from] OptionsError),
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}

/// Options that do not fit each other.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// No option names the benchmark file.
    #[error(
        "can't measure commits: no benchmark file\n\
         help: choose one with --bench=NAME, or start with `cargo bench --bench NAME -- history`"
    )]
    NoBenchmarkFile,
    /// Both sides of a comparison are the same baseline.
    #[error(
        "can't compare the baseline `{name}` with itself\nhelp: give --load-baseline and --baseline different \
         names"
    )]
    SameBaseline {
        /// The name of the baseline.
        name: String,
    },
}
