//! The benchmarks that changed, and the numbers of those that did not.

use std::collections::BTreeMap;
use std::fmt;

use iai_callgrind_compare::{Change, JudgedMetric, NoiseFloor, judge};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_results::{BenchmarkResult, ToolResult};

use crate::format::Category;

/// Returns the category of a result, compared with the old one.
pub(super) fn category(result: &BenchmarkResult<'_>) -> Category {
    if !result.errors().is_empty() {
        return Category::Failed;
    }
    if result.has_regressed() {
        return Category::Regressed;
    }
    judge(&all_judged_metrics(result)).into()
}

/// Returns the metric that decides if a result is better or worse, with its change; `None` for one that is neither.
pub(super) fn deciding(result: &BenchmarkResult<'_>) -> Option<(MetricKind, Change)> {
    let metrics = all_judged_metrics(result);
    let metric = &metrics[judge(&metrics).deciding()?];
    Some((metric.kind, Change::between(Some(metric.new), metric.old)))
}

/// Returns the metrics that a result is judged by, those of the first tool first.
fn all_judged_metrics(result: &BenchmarkResult<'_>) -> Vec<JudgedMetric> {
    let tolerance = result.benchmark.options.tolerance;
    result.tools.iter().flat_map(|tool| judged_metrics(tool, tolerance)).collect()
}

/// Returns the metrics that a result is judged by: those that are shown, the instructions and those with a limit.
fn judged_metrics(tool: &ToolResult<'_>, tolerance: f64) -> Vec<JudgedMetric> {
    let (new, old) = (&tool.new.total, tool.old.as_ref().map(|old| &old.total));
    let limited: Vec<_> = tool.options.limits.kinds().collect();
    let noise = |kind: MetricKind| {
        let floor = |floor: &NoiseFloor| floor.kind == kind;
        tool.options.noise.as_ref()?.floors().find(floor).map(|floor| floor.largest)
    };
    let mut kinds: Vec<_> = new.shown_lines(&tool.options.metrics).map(|(kind, _)| kind).collect();
    for kind in [MetricKind::Ir].iter().chain(&limited) {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    let judged = |kind: MetricKind| {
        let (new, old) = (new.get(kind)?, old.and_then(|old| old.get(kind)));
        Some(JudgedMetric {
            kind,
            new,
            old,
            is_tolerated: Change::between(Some(new), old).is_within(tolerance),
            is_limited: limited.contains(&kind),
            is_exceeded: tool.regressions.iter().any(|regression| regression.kind == kind),
            noise: noise(kind),
        })
    };
    kinds.into_iter().filter_map(judged).collect()
}

/// The number of results of each category.
#[derive(Debug, Default)]
pub(super) struct Numbers(BTreeMap<Category, usize>);

impl Numbers {
    pub(super) fn add(&mut self, category: Category) {
        *self.0.entry(category).or_default() += 1;
    }

    /// Returns true if no result was added.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Writes `2 worse, 1 new, 97 unchanged`, or `no earlier results: 22 new benchmarks`.
impl fmt::Display for Numbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.0.iter().collect();
        if let [(Category::New, new)] = &*numbers {
            let benchmarks = if **new == 1 { "benchmark" } else { "benchmarks" };
            return write!(formatter, "no earlier results: {new} new {benchmarks}");
        }
        let text =
            |(category, number): (&Category, &usize)| format!("{number} {}", category.text());
        let texts: Vec<_> = numbers.into_iter().map(text).collect();
        write!(formatter, "compared with the old results: {}", texts.join(", "))
    }
}
