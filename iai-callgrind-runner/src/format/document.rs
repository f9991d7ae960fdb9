//! A format of reports, and what it writes.

use iai_callgrind_summary::Summary;

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Format {
    /// What the command line calls it.
    pub(crate) name: &'static str,
    /// What it is, for the help.
    pub(crate) about: &'static str,
    /// How it is written.
    pub(crate) write: Write,
}

/// How a format is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Write {
    /// A piece for each benchmark, which can be shown when that has ended.
    Each(fn(&Summary) -> String),
    /// One document for all benchmarks of a file.
    Whole(fn(&Document<'_>) -> String),
}

/// What a document is about.
pub(crate) struct Document<'a> {
    /// What came of the benchmarks, in their order.
    pub(crate) summaries: &'a [Summary],
    /// What failed that runs before or after benchmarks.
    pub(crate) hook_failures: &'a [String],
    /// How long the run took; none if nothing ran.
    pub(crate) seconds: Option<f64>,
}

impl Format {
    /// The piece for one benchmark, if there are pieces.
    pub(crate) fn each(&self, summary: &Summary) -> Option<String> {
        match self.write {
            Write::Each(write) => Some(write(summary)),
            Write::Whole(_) => None,
        }
    }

    /// The document, if it can't be made piece by piece.
    pub(crate) fn whole(&self, document: &Document<'_>) -> Option<String> {
        match self.write {
            Write::Each(_) => None,
            Write::Whole(write) => Some(write(document)),
        }
    }

    /// All of it, whether there are pieces or not.
    pub(crate) fn document(&self, document: &Document<'_>) -> String {
        match self.write {
            Write::Each(write) => document.summaries.iter().map(write).collect(),
            Write::Whole(write) => write(document),
        }
    }
}
