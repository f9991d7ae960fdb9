//! Errors of the options of a command.

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
