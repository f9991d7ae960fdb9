//! The spread of a metric under different seeds.

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
    /// Returns the spread of a metric, `None` if it was not counted under any seed.
    pub(super) fn new(seeds: &[RunResult], kind: MetricKind) -> Option<Self> {
        let mut values: Vec<_> = seeds.iter().filter_map(|seed| seed.new.total.get(kind)).collect();
        values.sort_unstable_by(|a, b| match (a, b) {
            (Value::Count(a), Value::Count(b)) => a.cmp(b),
            (a, b) => a.as_f64().total_cmp(&b.as_f64()),
        });
        let (minimum, maximum) = (*values.first()?, *values.last()?);
        Some(Self { minimum, median: values[(values.len() - 1) / 2], maximum })
    }
}
