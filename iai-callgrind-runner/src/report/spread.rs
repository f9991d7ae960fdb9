//! How far the values of a metric lie apart under different seeds.

use iai_callgrind_plan::metric::{EventKind, Value};

use crate::tool::Measurement;

/// What a metric is under different seeds.
pub(super) struct Spread {
    pub(super) minimum: Value,
    /// Of an even number of values the smaller one of the two in the middle.
    pub(super) median: Value,
    pub(super) maximum: Value,
}

impl Spread {
    /// None if the metric was counted under no seed.
    pub(super) fn of(seeds: &[Measurement], kind: EventKind) -> Option<Self> {
        let mut values: Vec<_> = seeds.iter().filter_map(|it| it.total.get(kind)).collect();
        values.sort_unstable_by(|a, b| match (a, b) {
            (Value::Count(a), Value::Count(b)) => a.cmp(b),
            (a, b) => a.as_f64().total_cmp(&b.as_f64()),
        });
        let (minimum, maximum) = (*values.first()?, *values.last()?);
        Some(Self { minimum, median: values[(values.len() - 1) / 2], maximum })
    }
}
