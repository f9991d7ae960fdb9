//! Results of benchmarks.

use iai_callgrind_plan::metric::Metrics;

use crate::error::Result;
use crate::tool::Counted;

/// What a benchmark ended with under one tool and one seed.
pub(crate) type Outcome = Result<Measured>;

/// What came of a benchmark that did not fail.
#[derive(Debug)]
pub(crate) struct Measured {
    /// What was counted.
    pub(crate) counted: Counted,
    /// What the tool reported, if it found errors that fail the benchmark.
    pub(crate) errors: Option<String>,
    /// What it printed, as far as that is to be shown; none if nothing is.
    pub(crate) output: Option<Vec<u8>>,
}

/// What a benchmark totals under each of its tools.
pub(crate) type Totals = Vec<(&'static str, Metrics)>;
