//! What the user sees. Nothing outside of here prints results.

mod messages;
pub(crate) mod progress;
mod reporters;
mod slow;
mod spread;
mod summaries;
mod summarize;
mod terminal;

pub(crate) use self::reporters::Reporters;
use self::spread::Spread;
pub(crate) use self::summaries::print_document;
pub(crate) use self::summarize::{Compared, Context, baselines};
pub(crate) use self::terminal::{BETTER, FAINT, NEW, PATH, WORSE};
use crate::benchmark::Benchmark;
use crate::compare::Regression;
use crate::error::{Error, Result};
use crate::options::ToolOptions;
use crate::result::Totals;
use crate::tool::Measurement;

/// Takes results in the order in which they are to be shown.
pub(crate) trait Reporter {
    /// A benchmark ran.
    fn result(&mut self, result: &Finished<'_>);

    /// What runs before or after benchmarks failed.
    fn hook_failure(&mut self, error: &Error);

    /// A benchmark failed.
    fn failure(&mut self, benchmark: &Benchmark, error: &Error);

    /// All have run.
    fn end(&mut self, tally: &Tally) -> Result<()>;
}

/// A benchmark that ran.
pub(crate) struct Finished<'a> {
    pub(crate) benchmark: &'a Benchmark,
    /// What came of it under each tool.
    pub(crate) tools: &'a [ToolResult<'a>],
    /// Those that it is compared with by id.
    pub(crate) comparisons: &'a [(&'a Benchmark, &'a Totals)],
}

/// What came of a benchmark under one tool.
pub(crate) struct ToolResult<'a> {
    pub(crate) options: &'a ToolOptions,
    /// What was measured under each seed, at least one.
    pub(crate) seeds: &'a [Measurement],
    /// None if it ran for the first time.
    pub(crate) old: Option<&'a Measurement>,
    /// The limits that it broke.
    pub(crate) regressions: Vec<Regression>,
}

impl ToolResult<'_> {
    /// The result that is kept, compared and held against limits: that under the first seed.
    pub(crate) fn kept(&self) -> &Measurement {
        &self.seeds[0]
    }

    /// The tool's own report, if it found errors that fail the benchmark: that under the first seed that
    /// has any.
    pub(crate) fn errors(&self) -> Option<Error> {
        let report = self.seeds.iter().find_map(|seed| seed.errors.clone())?;
        let name = self.options.tool.name;
        Some(Error::Process { what: format!("{name} found errors"), said: vec![(name, report)] })
    }
}

/// What came of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Tally {
    /// How many benchmarks are to run.
    pub(crate) selected: usize,
    /// How many benchmarks have run or failed.
    pub(crate) finished: usize,
    /// How many of them failed.
    pub(crate) failed: usize,
    /// How much of what runs before and after benchmarks failed.
    pub(crate) hooks_failed: usize,
    /// How many became worse than their limits allow.
    pub(crate) regressed: usize,
    /// The signal that ended the run.
    pub(crate) interrupted: Option<i32>,
    /// How long it took.
    pub(crate) seconds: f64,
}
