//! The spread of a metric in different runs.

use iai_callgrind_plan::metric::{MetricKind, Value};

use crate::result::RunResult;

/// The smallest, middle and largest value of a metric.
pub(super) struct Spread {
    pub(super) minimum: Value,
    /// The middle value; of an even number of values the smaller one of the two in the middle.
    pub(super) median: Value,
    pub(super) maximum: Value,
}

impl Spread {
    /// Returns the spread of a metric, `None` if no run counted it.
    pub(super) fn new(samples: &[RunResult], kind: MetricKind) -> Option<Self> {
        let values = samples.iter().filter_map(|sample| sample.new.total.get(kind));
        let mut values: Vec<_> = values.collect();
        values.sort_unstable_by(Value::total_cmp);
        let (minimum, maximum) = (*values.first()?, *values.last()?);
        Some(Self { minimum, median: values[(values.len() - 1) / 2], maximum })
    }
}
