//! Results of benchmarks.

use iai_callgrind_plan::metric::Metrics;

use crate::error::Result;
use crate::tool::Measurement;

/// The outcome of a benchmark under one tool and one seed.
pub(crate) type Outcome = Result<Measurement>;

/// The totals of a benchmark, by the names of its tools.
pub(crate) type Totals = Vec<(&'static str, Metrics)>;
