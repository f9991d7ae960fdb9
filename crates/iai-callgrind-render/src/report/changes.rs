//! The changed benchmarks, and the numbers of unchanged ones.

use std::fmt;

use iai_callgrind_compare::{Change, JudgedMetric, NoiseFloor, judge};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_results::{BenchmarkResult, ToolResult};

use super::explanation::cause;
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

/// Returns the metrics that decide about a result, in the order of its tools.
fn all_judged_metrics(result: &BenchmarkResult<'_>) -> Vec<JudgedMetric> {
    let tolerance = result.benchmark.options.tolerance;
    result.tools.iter().flat_map(|tool| judged_metrics(tool, tolerance)).collect()
}

/// Returns the metrics that decide about a result: shown ones, the instructions and limited ones.
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

/// The change that a verdict names: the worst one, or the best one if none is worse.
#[derive(Debug)]
pub(super) struct LeadingChange {
    category: Category,
    size: f64,
    /// The benchmark with its change and, if it is known, the cause.
    text: String,
}

impl LeadingChange {
    /// Returns the change of a result of this category; `None` for one that is neither better nor worse.
    fn of(result: &BenchmarkResult<'_>, category: Category) -> Option<Self> {
        let (kind, change) = deciding(result).filter(|_| category.is_difference())?;
        let explanation = result.tools.iter().find_map(|tool| tool.explanation.as_ref());
        let cause = explanation.and_then(cause);
        let cause = cause.map_or_else(String::new, |cause| format!(": {}", cause.text));
        let (title, change_text) = (result.benchmark.title_in_text(), change.short_text());
        Some(Self {
            category,
            size: change.percentage().map_or(0.0, f64::abs),
            text: format!("{title}, {} {change_text}{cause}", kind.label()),
        })
    }

    /// Returns the more important of two changes; of equal ones, the first.
    fn lead(self, other: Self) -> Self {
        let by_size = || other.size.total_cmp(&self.size);
        if self.category.cmp(&other.category).then_with(by_size).is_gt() { other } else { self }
    }

    /// Adds the change of another result, which has this category.
    pub(super) fn add(
        leading: Option<Self>,
        result: &BenchmarkResult<'_>,
        category: Category,
    ) -> Option<Self> {
        leading.into_iter().chain(Self::of(result, category)).reduce(Self::lead)
    }
}

impl fmt::Display for LeadingChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = if self.category == Category::Better { "best" } else { "worst" };
        write!(formatter, "{rank}: {}", self.text)
    }
}
