//! Values of metrics as those of summaries.

use iai_callgrind_plan::metric::{self, MetricKind};
use iai_callgrind_results::Spread;
use iai_callgrind_summary::{Range, Unit, Value};

/// Returns the unit of a metric with this value.
pub(super) fn unit(kind: MetricKind, value: Option<metric::Value>) -> Unit {
    match (kind, value) {
        (MetricKind::Counter(_), Some(metric::Value::Rate(_))) => Unit::Ratio,
        (kind, _) if kind.is_per_unit() => Unit::Ratio,
        (kind, _) if kind.is_rate() => Unit::Percent,
        _ => Unit::Count,
    }
}

/// Converts a value.
pub fn value(value: metric::Value) -> Value {
    match value {
        metric::Value::Count(count) => Value::Count(count),
        metric::Value::Rate(rate) => Value::Rate(rate),
    }
}

/// Converts the range of a spread.
pub(super) fn range(spread: &Spread) -> Range {
    Range {
        minimum: value(spread.minimum),
        median: value(spread.median),
        maximum: value(spread.maximum),
    }
}
