//! What the user sees. Nothing outside of here prints results.

pub(crate) mod progress;
mod terminal;

pub(crate) use self::terminal::Terminal;
use crate::benchmark::Benchmark;
use crate::compare::Regression;
use crate::error::Error;
use crate::metric::Metrics;
use crate::run::Measured;

/// Takes results in the order in which they are to be shown.
pub(crate) trait Reporter {
    /// A benchmark ran, and broke these limits. There are no old results if it ran for the first time.
    fn result(
        &mut self,
        benchmark: &Benchmark,
        new: &Measured,
        old: Option<&Metrics>,
        regressions: &[Regression],
    );

    /// A benchmark failed.
    fn failure(&mut self, benchmark: &Benchmark, error: &Error);

    /// All have run.
    fn end(&mut self, tally: &Tally);
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
