//! The reports of a run.

use std::path::PathBuf;

use super::document::Format;
use super::file::{ReportFile, resolve};

/// The selected reports.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reports {
    /// Format on the standard output, `None` for text.
    pub(crate) on_stdout: Option<&'static Format>,
    /// Report files.
    pub(crate) in_files: Vec<ReportFile>,
    /// Directories of pages in HTML.
    pub(crate) pages: Vec<PathBuf>,
    /// Format of `summary.json`, `None` if it is not saved.
    pub(crate) saved: Option<&'static Format>,
}

impl Reports {
    /// Replaces the placeholders in all paths.
    pub(crate) fn resolve(mut self, package: &str, file: &str) -> Self {
        self.in_files = self.in_files.iter().map(|report| report.resolve(package, file)).collect();
        self.pages = self.pages.iter().map(|directory| resolve(directory, package, file)).collect();
        self
    }

    /// Returns `true` if a report is made from summaries.
    pub(crate) fn need_summaries(&self) -> bool {
        self.on_stdout.is_some() || !self.in_files.is_empty() || self.saved.is_some()
    }
}
