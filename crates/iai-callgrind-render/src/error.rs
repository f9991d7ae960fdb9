//! The errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

use iai_callgrind_base::FileError;
use iai_callgrind_process::ProcessError;
use iai_callgrind_summary::ReadError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why results can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// The run is interrupted.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// A report can't be written.
    #[error("{0}")]
    Report(#[from] ReportError),
    /// The files of a tool can't be read.
    #[error("{0}")]
    Tools(#[from] iai_callgrind_tools::Error),
    /// The history can't be read.
    #[error("{0}")]
    History(#[from] iai_callgrind_history::Error),
    /// A file next to the results can't be written.
    #[error("{0}")]
    Store(#[from] iai_callgrind_store::Error),
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

/// A reason why a report can't be written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ReportError {
    #[error(
        "can't write the report {}: not a file\nhelp: name a file, or use --output-format for the standard output",
        path.display()
    )]
    NotAFile { path: PathBuf },
    #[error(
        "can't overwrite {}: not a report of these benchmarks\nhelp: remove it, or write one report for each \
         benchmark file with {{file}} in the path", path.display()
    )]
    ForeignReport { path: PathBuf },
    #[error(
        "can't write pages into {}: the directory has other files\nhelp: name an empty or a new directory, or that of \
         an earlier report", directory.display()
    )]
    ForeignSite { directory: PathBuf },
    #[error("can't read {}: {source}", path.display())]
    InvalidSummary { path: PathBuf, source: ReadError },
}
