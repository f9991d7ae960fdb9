//! Values of metrics as those of summaries.

use iai_callgrind_plan::metric::{self, MetricKind};
use iai_callgrind_results::{Spread, summary_value};
use iai_callgrind_summary::{Range, Unit};

/// Returns the unit of a metric with this value.
pub(super) fn unit(kind: MetricKind, value: Option<metric::Value>) -> Unit {
    match (kind, value) {
        (MetricKind::Counter(_), Some(metric::Value::Rate(_))) => Unit::Ratio,
        (kind, _) => match kind.unit() {
            metric::Unit::Count => Unit::Count,
            metric::Unit::Percent => Unit::Percent,
            metric::Unit::Ratio => Unit::Ratio,
        },
    }
}

/// Converts the range of a spread.
pub(super) fn range(spread: &Spread) -> Range {
    Range {
        minimum: summary_value(spread.minimum),
        median: summary_value(spread.median),
        maximum: summary_value(spread.maximum),
        mean: Some(spread.mean),
        deviation: Some(spread.deviation),
    }
}
