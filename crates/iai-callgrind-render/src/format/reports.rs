//! The reports of a run.

use std::env;
use std::path::PathBuf;

use iai_callgrind_base::console;

use super::document::Format;
use super::file::{ReportFile, resolve};
use super::markdown::MARKDOWN;

/// The form of the text on the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextForm {
    /// Lines for a person who reads them on a terminal, blocks for programs that parse them.
    #[default]
    Auto,
    /// A block for each benchmark, with a line for each metric.
    Blocks,
    /// A line for each benchmark.
    Lines,
}

impl TextForm {
    /// Returns the form for the standard output of this process. Services parse the output of CI jobs, some of which have a
    /// terminal.
    #[must_use]
    pub fn resolve(self) -> Self {
        let is_in_ci = || env::var_os("CI").is_some_and(|value| !value.is_empty());
        match self {
            Self::Auto if console::stdout_is_terminal() && !is_in_ci() => Self::Lines,
            Self::Auto => Self::Blocks,
            chosen => chosen,
        }
    }
}

/// The selected reports.
#[derive(Debug, Clone, Default)]
pub struct Reports {
    /// Format on the standard output, `None` for text.
    pub on_stdout: Option<&'static Format>,
    /// Form of the text.
    pub text_form: TextForm,
    /// Report files.
    pub in_files: Vec<ReportFile>,
    /// Directories of pages in HTML.
    pub pages: Vec<PathBuf>,
    /// Format of `summary.json`, `None` if it is not saved.
    pub saved: Option<&'static Format>,
}

impl Reports {
    /// Replaces the placeholders in all paths.
    #[must_use]
    pub fn resolve(mut self, package: &str, file: &str) -> Self {
        self.in_files = self.in_files.iter().map(|report| report.resolve(package, file)).collect();
        self.pages = self.pages.iter().map(|directory| resolve(directory, package, file)).collect();
        self
    }

    /// Returns `true` if a person reads a report that groups changes by their causes.
    pub fn are_for_people(&self) -> bool {
        let in_files = self.in_files.iter().map(|report| report.format);
        let mut formats = self.on_stdout.into_iter().chain(in_files);
        let is_on_terminal = self.on_stdout.is_none() && self.text_form == TextForm::Lines;
        is_on_terminal || formats.any(|format| format.name == MARKDOWN.name)
    }

    /// Returns `true` if a report is made from summaries.
    pub fn need_summaries(&self) -> bool {
        self.on_stdout.is_some() || !self.in_files.is_empty() || self.saved.is_some()
    }
}
