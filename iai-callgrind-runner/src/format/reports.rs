//! The reports that a run makes besides the terminal's text.

use super::document::Format;
use super::file::ReportFile;

/// The reports that are asked for besides the terminal's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reports {
    /// What is on the standard output instead of the terminal's format.
    pub(crate) on_stdout: Option<&'static Format>,
    /// What is written to files.
    pub(crate) in_files: Vec<ReportFile>,
    /// What each benchmark's summary is saved as.
    pub(crate) saved: Option<&'static Format>,
}

impl Reports {
    /// Whether there is one that is made of summaries.
    pub(crate) fn need_summaries(&self) -> bool {
        self.on_stdout.is_some() || !self.in_files.is_empty() || self.saved.is_some()
    }
}
