//! What the user sees. Nothing outside of here prints results.

pub(crate) mod progress;
mod terminal;

pub(crate) use self::terminal::Terminal;
use crate::benchmark::Benchmark;
use crate::compare::Regression;
use crate::error::Error;
use crate::metric::{EventKind, Metrics};
use crate::run::Measured;

/// Takes results in the order in which they are to be shown.
pub(crate) trait Reporter {
    /// A benchmark ran.
    fn result(&mut self, result: &Finished<'_>);

    /// A benchmark failed.
    fn failure(&mut self, benchmark: &Benchmark, error: &Error);

    /// All have run.
    fn end(&mut self, tally: &Tally);
}

/// A benchmark that ran.
pub(crate) struct Finished<'a> {
    pub(crate) benchmark: &'a Benchmark,
    pub(crate) new: &'a Measured,
    /// None if it ran for the first time.
    pub(crate) old: Option<&'a Metrics>,
    /// The metrics that are shown, in this order.
    pub(crate) shown: &'a [EventKind],
    /// A difference up to this percentage is shown as tolerated.
    pub(crate) tolerance: f64,
    /// The limits that it broke.
    pub(crate) regressions: &'a [Regression],
    /// Those that it is compared with by id.
    pub(crate) comparisons: &'a [(&'a Benchmark, &'a Metrics)],
}

/// What came of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Tally {
    /// How many benchmarks have run or failed.
    pub(crate) finished: usize,
    /// How many of them failed.
    pub(crate) failed: usize,
    /// How many became worse than their limits allow.
    pub(crate) regressed: usize,
    /// How long it took.
    pub(crate) seconds: f64,
}
