//! The options of reports.

use clap::ValueEnum;
use iai_callgrind_results::{Mode, Samples};
use iai_callgrind_summary::Invocation;

use crate::format::Reports;

/// The benchmarks whose values are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// All.
    #[default]
    All,
    /// Those with a change, and new ones.
    Changed,
    /// None: only the end of the output.
    Summary,
}

/// The options of the reports of a run.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct ReportOptions {
    /// The results that the run reads and writes.
    pub mode: Mode,
    /// The runs of each benchmark.
    pub samples: Samples,
    /// The reports in addition to, or in place of, the text on the terminal.
    pub reports: Reports,
    /// The benchmarks whose values are shown.
    pub show: Show,
    /// Hides the results of groups that compare by id, but not the comparisons.
    pub only_comparison: bool,
    /// Shows the spread of several runs without the values of the stored one.
    pub only_aggregates: bool,
    /// The number of calls of a routine that count, where it can be called repeatedly.
    pub calls: u16,
    /// Prints a closing line.
    pub summary: bool,
    /// Maximum number of lines of an explanation.
    pub explanation_lines: usize,
    /// Benchmarks are timed.
    pub is_timed: bool,
    /// The other revision that the results are compared with.
    pub against: Option<String>,
    /// The command line that repeats the run.
    pub invocation: Invocation,
}
