//! The changes of summarized benchmarks.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use iai_callgrind_base::{note::counted, numbers::grouped};
use iai_callgrind_compare::{Change, JudgedMetric, Judgement, judge};
use iai_callgrind_plan::CounterName;
use iai_callgrind_plan::metric::{self, MetricKind};
use iai_callgrind_summary::{
    BenchmarkChange, ChangeKind, Metric, Regression, Status, Summary, Tool, Value,
};

/// The change of a benchmark as a whole, the most important one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Not measured, or a tool found errors.
    Failed,
    /// A limit is exceeded.
    Regressed,
    /// The metric that decides became worse.
    Worse,
    /// The metric that decides became better.
    Better,
    /// There is no old result.
    New,
    /// Only accesses to the caches moved, by no more than another layout moves them.
    CachesOnly,
    /// No shown metric changed.
    Unchanged,
}

impl Category {
    /// Returns the category of a benchmark.
    pub fn of(summary: &Summary) -> Self {
        match summary.status {
            Status::Failed => Self::Failed,
            Status::Regressed => Self::Regressed,
            Status::Ok => judged(summary).0.into(),
        }
    }

    /// Returns the text after this number of benchmarks: `2 worse`.
    pub fn text(self, number: usize) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Regressed if number == 1 => "exceeded a limit",
            Self::Regressed => "exceeded limits",
            Self::Worse => "worse",
            Self::Better => "better",
            Self::New => "new",
            Self::CachesOnly => "moved in caches only",
            Self::Unchanged => "unchanged",
        }
    }

    /// Returns true for a change of the code, a failure or a new benchmark.
    pub fn is_change(self) -> bool {
        !matches!(self, Self::CachesOnly | Self::Unchanged)
    }

    /// Returns true for a benchmark whose deciding metric, or one with a limit, differs from the old result.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::Regressed | Self::Worse | Self::Better)
    }

    /// Returns true for benchmarks that make a run fail.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::Regressed)
    }
}

/// The number of results of each category.
#[derive(Debug, Default)]
pub(crate) struct Numbers(BTreeMap<Category, usize>);

impl Numbers {
    pub(crate) fn add(&mut self, category: Category) {
        *self.0.entry(category).or_default() += 1;
    }

    /// Returns true if no result was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of all results.
    pub(crate) fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// Returns the number of categories that results have.
    pub(crate) fn categories(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of results of a category.
    pub(crate) fn of(&self, category: Category) -> usize {
        self.0.get(&category).copied().unwrap_or(0)
    }

    /// Returns `compared with the last run: 2 worse, 97 unchanged`, or `no earlier results: 22 new benchmarks`.
    pub(crate) fn text(&self, compared_with: &str) -> String {
        match self.of(Category::New) {
            new if new > 0 && self.categories() == 1 => {
                format!("no earlier results: {}", counted(new, "new benchmark"))
            }
            _ => format!("compared with {compared_with}: {}", self.list()),
        }
    }

    /// Returns `2 worse, 97 unchanged`.
    pub(crate) fn list(&self) -> String {
        let text = |(category, number): (&Category, &usize)| {
            format!("{} {}", grouped(*number as u64), category.text(*number))
        };
        self.0.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the shown metrics of a tool with a new value.
pub fn shown(tool: &Tool) -> impl Iterator<Item = (&Metric, Value)> {
    let metrics = tool.shown.iter().filter_map(|name| tool.total.get(name));
    metrics.filter_map(|metric| Some((metric, metric.new?)))
}

/// Returns the first shown metric of a benchmark, under the first tool that has one, with its name and its new value.
pub(crate) fn first_shown(summary: &Summary) -> Option<(&Tool, &str, &Metric, Value)> {
    summary.tools.iter().find_map(|tool| {
        let name = tool.shown.first()?;
        let metric = tool.total.get(name)?;
        Some((tool, &**name, metric, metric.new?))
    })
}

/// Returns the change of a metric.
pub fn change(metric: &Metric) -> Change {
    Change::between(metric.new.map(metric_value), metric.old.map(metric_value))
}

/// Returns `true` for a change beyond the tolerance.
pub fn is_changed(metric: &Metric) -> bool {
    !metric.tolerated && change(metric).direction().is_some_and(Ordering::is_ne)
}

/// Returns the absolute change of the metric that decides, in percent.
pub fn largest_change(summary: &Summary) -> f64 {
    let percentage = deciding(summary).map(change).and_then(Change::percentage);
    percentage.map_or(0.0, f64::abs)
}

/// Returns the metric that decides if a benchmark is better or worse; `None` for one that is neither.
pub fn deciding(summary: &Summary) -> Option<&Metric> {
    let (judgement, metrics) = judged(summary);
    judgement.deciding().map(|index| metrics[index])
}

/// Returns the metric with the largest relative change that is not noise, except for this one.
pub(crate) fn largest_other<'a>(summary: &'a Summary, main: &Metric) -> Option<&'a Metric> {
    let judged = summary.tools.iter().flat_map(judged_metrics);
    let changed = judged.filter(|(_, judged)| judged.is_significant());
    let others = changed.map(|(metric, _)| metric).filter(|metric| !std::ptr::eq(*metric, main));
    let size = |metric: &Metric| change(metric).percentage().map_or(0.0, f64::abs);
    others.max_by(|one, other| size(one).total_cmp(&size(other)))
}

/// Returns true for a metric of which more is better.
pub fn is_better_if_higher(metric: &Metric) -> bool {
    let has_label = |kind: &&MetricKind| kind.label() == metric.label;
    MetricKind::ALL.iter().find(has_label).is_some_and(|kind| kind.is_better_if_higher())
}

/// Judges a benchmark, and returns the metrics that it is judged by.
fn judged(summary: &Summary) -> (Judgement, Vec<&Metric>) {
    let metrics = summary.tools.iter().flat_map(judged_metrics);
    let (metrics, judged): (Vec<_>, Vec<_>) = metrics.unzip();
    (judge(&judged), metrics)
}

/// Returns the metrics that decide about a tool's result: shown ones, the instructions and limited
/// ones.
fn judged_metrics(tool: &Tool) -> Vec<(&Metric, JudgedMetric)> {
    let limits = tool.limits.iter().filter(|limit| limit.learned_from.is_none());
    let limited: Vec<_> = limits.map(|limit| limit.metric.as_str()).collect();
    let noise = tool.explanation.as_ref().and_then(|explanation| explanation.noise.as_ref());
    let mut names: Vec<_> = tool.shown.iter().map(String::as_str).collect();
    for name in [MetricKind::Ir.name()].iter().chain(&limited) {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let judged = |name: &str| {
        let metric = tool.total.get(name)?;
        let is_exceeded = |regression: &Regression| regression.limit.metric == name;
        let judged = JudgedMetric {
            kind: kind(name)?,
            new: metric_value(metric.new?),
            old: metric.old.map(metric_value),
            is_tolerated: metric.tolerated,
            is_limited: limited.contains(&name),
            is_exceeded: tool.regressions.iter().any(is_exceeded),
            noise: noise.and_then(|noise| noise.metrics.get(name)).map(|floor| floor.largest),
        };
        Some((metric, judged))
    };
    names.into_iter().filter_map(judged).collect()
}

/// Returns the metric with this name.
fn kind(name: &str) -> Option<MetricKind> {
    let known = MetricKind::ALL.iter().copied().find(|kind| kind.name() == name);
    known.or_else(|| CounterName::new(name).ok().map(MetricKind::Counter))
}

/// Returns the change of a benchmark that was compared, for programs that read it.
pub fn benchmark_change(summary: &Summary) -> Option<BenchmarkChange> {
    let (judgement, metrics) = judged(summary);
    let kind = match judgement {
        Judgement::Worse(_) => ChangeKind::Worse,
        Judgement::Better(_) => ChangeKind::Better,
        Judgement::New => ChangeKind::New,
        Judgement::CachesOnly => ChangeKind::CachesOnly,
        Judgement::Unchanged => ChangeKind::Unchanged,
    };
    let metric = judgement.deciding().map(|index| metrics[index]);
    let name = |metric: &Metric| {
        let tools = summary.tools.iter().flat_map(|tool| &tool.total);
        let found = tools.into_iter().find(|(_, known)| std::ptr::eq(*known, metric));
        found.map(|(name, _)| name.clone())
    };
    (!metrics.is_empty()).then(|| BenchmarkChange { kind, metric: metric.and_then(name) })
}

impl From<Judgement> for Category {
    fn from(judgement: Judgement) -> Self {
        match judgement {
            Judgement::New => Self::New,
            Judgement::Worse(_) => Self::Worse,
            Judgement::Better(_) => Self::Better,
            Judgement::CachesOnly => Self::CachesOnly,
            Judgement::Unchanged => Self::Unchanged,
        }
    }
}

/// Returns a summary's value as the value of a metric.
pub fn metric_value(value: Value) -> metric::Value {
    match value {
        Value::Count(count) => metric::Value::Count(count),
        Value::Rate(rate) => metric::Value::Rate(rate),
    }
}
