//! The changes of summarized benchmarks.

use std::cmp::Ordering;

use iai_callgrind_plan::metric;
use iai_callgrind_summary::{Metric, Status, Summary, Tool, Value};

use crate::compare::Change;

/// The change of a benchmark as a whole, the most important one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Category {
    /// Not measured, or a tool found errors.
    Failed,
    /// A limit is exceeded.
    Regressed,
    /// The first metric with a change is greater than before.
    Worse,
    /// The first metric with a change is less than before.
    Better,
    /// There is no old result.
    New,
    /// No shown metric changed.
    Unchanged,
}

impl Category {
    /// All categories in their order.
    pub(crate) const ALL: [Self; 6] =
        [Self::Failed, Self::Regressed, Self::Worse, Self::Better, Self::New, Self::Unchanged];

    /// Returns the category of a benchmark.
    pub(crate) fn of(summary: &Summary) -> Self {
        match summary.status {
            Status::Failed => Self::Failed,
            Status::Regressed => Self::Regressed,
            Status::Ok => match direction(summary) {
                None => Self::New,
                Some(Ordering::Greater) => Self::Worse,
                Some(Ordering::Less) => Self::Better,
                Some(Ordering::Equal) => Self::Unchanged,
            },
        }
    }

    /// Returns the text after the number of benchmarks: `2 worse`.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Regressed => "broke limits",
            Self::Worse => "worse",
            Self::Better => "better",
            Self::New => "new",
            Self::Unchanged => "unchanged",
        }
    }

    /// Returns true for benchmarks that make a run fail.
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Regressed)
    }
}

/// Returns the shown metrics of a tool with a new value.
pub(crate) fn shown(tool: &Tool) -> impl Iterator<Item = (&Metric, Value)> {
    let metrics = tool.shown.iter().filter_map(|name| tool.total.get(name));
    metrics.filter_map(|metric| Some((metric, metric.new?)))
}

/// Returns the change of a metric.
pub(crate) fn change(metric: &Metric) -> Change {
    Change::between(metric.new.map(metric_value), metric.old.map(metric_value))
}

/// Returns `true` for a change beyond the tolerance.
pub(crate) fn is_changed(metric: &Metric) -> bool {
    !metric.tolerated && change(metric).direction().is_some_and(Ordering::is_ne)
}

/// Returns the absolute change of the first changed metric in percent.
pub(crate) fn largest_change(summary: &Summary) -> f64 {
    let metrics = summary.tools.iter().flat_map(shown);
    let first = metrics.map(|(metric, _)| metric).find(|metric| is_changed(metric)).map(change);
    first.and_then(Change::percentage).map_or(0.0, f64::abs)
}

/// Returns a value as text, empty without one.
pub(crate) fn value_text(value: Option<Value>) -> String {
    value.map_or_else(String::new, |value| metric_value(value).to_string())
}

/// Returns the direction of the first changed metric, or `None` without an old result.
fn direction(summary: &Summary) -> Option<Ordering> {
    let metrics = || summary.tools.iter().flat_map(shown).map(|(metric, _)| metric);
    let first = metrics().find(|metric| is_changed(metric)).map(change).and_then(Change::direction);
    let has_old = metrics().any(|metric| metric.old.is_some());
    first.or(has_old.then_some(Ordering::Equal))
}

fn metric_value(value: Value) -> metric::Value {
    match value {
        Value::Count(count) => metric::Value::Count(count),
        Value::Rate(rate) => metric::Value::Rate(rate),
    }
}
