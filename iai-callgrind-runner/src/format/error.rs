//! Errors of the files of reports and of pages.

use std::path::PathBuf;

/// A reason why a report can't be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
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
}
