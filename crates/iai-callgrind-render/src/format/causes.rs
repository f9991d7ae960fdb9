//! Summarized benchmarks by the causes of their changes.

use std::cmp::Reverse;

use iai_callgrind_base::numbers;
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::Cause;

use super::changes::{Category, change, deciding, largest_change};

/// Benchmarks whose changes have the same cause, the largest change first.
pub struct CauseGroup<'a> {
    /// The cause of the first one; `None` for benchmarks without a known cause.
    pub cause: Option<&'a Cause>,
    /// The benchmarks.
    pub summaries: Vec<&'a Summary>,
}

/// Returns the cause of a benchmark's change, if it is known.
pub fn cause(summary: &Summary) -> Option<&Cause> {
    let mut explained = summary.tools.iter().filter_map(|tool| tool.explanation.as_ref());
    explained.find_map(|explanation| explanation.cause.as_ref())
}

/// Groups benchmarks by severity: of those with the worst category, the cause of most of them first. Those without a cause
/// are at the end.
pub fn group_by_cause<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<CauseGroup<'a>> {
    let mut groups: Vec<CauseGroup<'a>> = Vec::new();
    for summary in summaries {
        let name = cause(summary).map(|cause| &cause.name);
        match groups.iter_mut().find(|group| group.cause.map(|cause| &cause.name) == name) {
            Some(group) => group.summaries.push(summary),
            None => groups.push(CauseGroup { cause: cause(summary), summaries: vec![summary] }),
        }
    }
    for group in groups.iter_mut().filter(|group| group.cause.is_some()) {
        group.summaries.sort_by(|a, b| largest_change(b).total_cmp(&largest_change(a)));
        group.cause = group.summaries.first().and_then(|summary| cause(summary));
    }
    let worst =
        |group: &CauseGroup<'_>| group.summaries.iter().map(|summary| Category::of(summary)).min();
    groups.sort_by_cached_key(|group| {
        (group.cause.is_none(), worst(group), Reverse(group.summaries.len()))
    });
    groups
}

/// Returns the range of the changes of benchmarks: `+4 % to +57 %`, after the name of the metric if
/// all changed in another metric than the instructions.
pub fn range_text(summaries: &[&Summary]) -> String {
    let metrics: Vec<_> = summaries.iter().filter_map(|summary| deciding(summary)).collect();
    let label = metrics.first().map_or("", |metric| &metric.label);
    let is_other = label != MetricKind::Ir.label();
    let is_common = is_other && metrics.iter().all(|metric| metric.label == label);
    let percentages = metrics.into_iter().map(change).filter_map(Change::percentage);
    let range = match numbers::extent(percentages) {
        (least, most) if least > most => "no change".to_owned(),
        extent => numbers::percent_range(extent),
    };
    if is_common && !label.is_empty() { format!("{label} {range}") } else { range }
}
