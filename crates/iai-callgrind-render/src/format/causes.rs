//! Summarized benchmarks by the causes of their changes.

use std::cmp::Reverse;

use iai_callgrind_base::numbers;
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_summary::Summary;
use iai_callgrind_summary::explanation::Cause;

use super::changes::{Category, change, deciding, largest_change};

/// Benchmarks whose changes have the same cause, the largest change of the worst category first.
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

/// The facts that order causes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CauseRank {
    /// The worst category of its benchmarks.
    pub(crate) category: Option<Category>,
    /// The number of its benchmarks of that category.
    pub(crate) benchmarks: usize,
    /// The largest change of a benchmark of that category, in percent.
    pub(crate) largest: f64,
}

impl CauseRank {
    /// Returns the rank of benchmarks with these categories and changes in percent.
    pub(crate) fn of(benchmarks: impl Iterator<Item = (Category, f64)> + Clone) -> Self {
        let category = benchmarks.clone().map(|(category, _)| category).min();
        let of_worst = benchmarks.filter(|(one, _)| Some(*one) == category);
        let largest = of_worst.clone().map(|(_, change)| change.abs()).fold(0.0, f64::max);
        Self { category, benchmarks: of_worst.count(), largest }
    }

    /// Sorts causes by severity: first the cause of the worst change, then the cause of most benchmarks.
    pub(crate) fn sorted<T>(causes: Vec<T>, rank: impl Fn(&T) -> Self) -> Vec<T> {
        let mut ranked: Vec<_> = causes.into_iter().map(|cause| (rank(&cause), cause)).collect();
        ranked.sort_by(|(a, _), (b, _)| {
            let order =
                (a.category, Reverse(a.benchmarks)).cmp(&(b.category, Reverse(b.benchmarks)));
            order.then_with(|| b.largest.total_cmp(&a.largest))
        });
        let ranks = || ranked.iter().map(|(rank, _)| rank);
        let severest = ranks().next().map(|rank| rank.category);
        let same = ranks().take_while(|rank| Some(rank.category) == severest);
        let worst = same
            .enumerate()
            .reduce(|worst, other| if other.1.largest > worst.1.largest { other } else { worst });
        if let Some((index, _)) = worst {
            ranked[..=index].rotate_right(1);
        }
        ranked.into_iter().map(|(_, cause)| cause).collect()
    }
}

/// Groups benchmarks by severity: the cause of the worst change first, then the cause of most benchmarks. Benchmarks
/// without a cause are at the end.
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
        group.summaries.sort_by(|a, b| {
            let severity = Category::of(a).cmp(&Category::of(b));
            severity.then_with(|| largest_change(b).total_cmp(&largest_change(a)))
        });
        group.cause = group.summaries.first().and_then(|summary| cause(summary));
    }
    let (known, unknown): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|group| group.cause.is_some());
    let mut groups = CauseRank::sorted(known, |group| {
        let summaries = group.summaries.iter();
        CauseRank::of(summaries.map(|summary| (Category::of(summary), largest_change(summary))))
    });
    groups.extend(unknown);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_the_worst_change_comes_first() {
        use Category::{Better, Regressed, Worse};
        let causes = [
            ("better", vec![(Better, -90.0)]),
            ("most", vec![(Worse, 10.0), (Worse, 20.0)]),
            ("worst", vec![(Worse, 50.0)]),
            ("larger", vec![(Worse, 40.0)]),
            ("mostly better", vec![(Worse, 1.0), (Better, -2.0), (Better, -3.0)]),
            ("a limit", vec![(Regressed, 6.0), (Worse, 60.0)]),
            ("most limits", vec![(Regressed, 5.0), (Regressed, 5.0), (Worse, 5.0)]),
        ];
        let order = |causes: Vec<(&'static str, Vec<_>)>| {
            let rank = |(_, changes): &(_, Vec<_>)| CauseRank::of(changes.iter().copied());
            let sorted = CauseRank::sorted(causes, rank);
            sorted.iter().map(|(name, _)| *name).collect::<Vec<_>>()
        };
        assert_eq!(
            order(causes.to_vec()),
            ["a limit", "most limits", "most", "worst", "larger", "mostly better", "better"]
        );
        assert_eq!(order(causes[..4].to_vec()), ["worst", "most", "larger", "better"]);
        assert!(order(Vec::new()).is_empty());
    }
}
