//! The values of a metric over the recorded commits.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use iai_callgrind_base::Natural;
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_plan::{Counter, CounterName, CounterValue};
use iai_callgrind_summary as summary;
use iai_callgrind_tools::tool::Tool;

use super::note_text::{CommitResults, ResultKey};

/// The values of a benchmark, the oldest first.
#[derive(Debug, Default)]
pub struct Series {
    /// The values at the recorded commits, the oldest first.
    pub points: Vec<Point>,
}

/// A recorded value.
#[derive(Debug, Clone)]
pub struct Point {
    /// The index of the commit.
    pub commit: usize,
    /// The name of the environment.
    pub environment: String,
    /// The recorded value.
    pub value: Value,
    /// The work tree had changes that the commit does not have.
    pub is_dirty: bool,
}

/// Something that happened at a commit, or after the recorded commit before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The index of the recorded commit before.
    pub(super) after: usize,
    pub(super) commit: usize,
    pub(super) difference: StepDifference,
    /// One of the two work trees had changes that the commit does not have.
    pub(super) is_dirty: bool,
}

/// The difference of two recorded values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StepDifference {
    Value {
        old: Value,
        new: Value,
    },
    /// The build or the machine changed, so the values before can't be compared.
    Environment {
        old: String,
        new: String,
    },
}

/// The benchmark of a series.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SeriesKey {
    /// The package with its target.
    pub package: String,
    /// The name of the benchmark.
    pub name: String,
}

impl Ord for SeriesKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |Self { package, name }: &Self| (Natural(package.clone()), Natural(name.clone()));
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for SeriesKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Series {
    /// Returns the steps of the value, and the changes of the environment. Each step is real: nothing is estimated.
    pub(super) fn steps(&self) -> Vec<Step> {
        let pairs = self.points.windows(2);
        let step = |pair: &[Point]| {
            let (old, new) = (&pair[0], &pair[1]);
            let difference = if old.environment != new.environment {
                let (old, new) = (old.environment.clone(), new.environment.clone());
                StepDifference::Environment { old, new }
            } else if old.value != new.value {
                StepDifference::Value { old: old.value, new: new.value }
            } else {
                return None;
            };
            let is_dirty = old.is_dirty || new.is_dirty;
            Some(Step { after: old.commit, commit: new.commit, difference, is_dirty })
        };
        pairs.filter_map(step).collect()
    }
}

/// Collects the series of a metric under a tool. If a commit has several environments, the previous
/// commit's continues the series; otherwise the first one counts.
pub fn collect(
    commits: &[CommitResults],
    tool: &Tool,
    metric: MetricKind,
    is_selected: impl Fn(&str) -> bool,
) -> BTreeMap<SeriesKey, Series> {
    let mut all: BTreeMap<SeriesKey, Series> = BTreeMap::new();
    for (commit, results) in commits.iter().enumerate() {
        let mut points: HashMap<SeriesKey, Vec<Point>> = HashMap::new();
        for (key, recording) in &results.results {
            let ResultKey { package, name, tool: of, environment } = key;
            if of != tool.name || !is_selected(name) {
                continue;
            }
            let Some(value) = total(tool, &recording.values).get(metric) else { continue };
            let series = SeriesKey { package: package.clone(), name: name.clone() };
            let environment = environment.clone();
            let is_dirty = recording.is_dirty;
            points.entry(series).or_default().push(Point { commit, environment, value, is_dirty });
        }
        for (key, mut points) in points {
            let series = all.entry(key).or_default();
            let last = series.points.last().map(|point| &point.environment);
            let same = points.iter().position(|point| Some(&point.environment) == last);
            series.points.push(points.swap_remove(same.unwrap_or(0)));
        }
    }
    all
}

/// Returns recorded values as a total, which has the derived metrics too. Unknown names are left out.
pub(super) fn total(tool: &Tool, values: &BTreeMap<String, summary::Value>) -> Metrics {
    let kind = |name: &str| tool.metrics.all.iter().find(|kind| kind.has_name(name)).copied();
    let (mut counts, mut counters) = (Vec::new(), Vec::new());
    for (name, value) in values {
        match (kind(name), *value) {
            (Some(kind), summary::Value::Count(count)) => counts.push((kind, count)),
            (Some(_), summary::Value::Rate(_)) => {}
            (None, value) => counters.extend(counter(name, value)),
        }
    }
    counts.into_iter().collect::<Metrics>().with_counters(counters)
}

fn counter(name: &str, value: summary::Value) -> Option<Counter> {
    let value = match value {
        summary::Value::Count(count) => CounterValue::Count(count),
        summary::Value::Rate(number) => CounterValue::number(number)?,
    };
    Some(Counter { name: CounterName::new(name).ok()?, value })
}

#[cfg(test)]
mod tests {
    use super::super::note_text::Recording;
    use super::*;
    use iai_callgrind_tools::tool::callgrind::CALLGRIND;

    fn commit(results: &[(&str, &str, u64)]) -> CommitResults {
        let mut all = CommitResults::default();
        for (name, environment, count) in results {
            let key = ResultKey {
                package: "p".to_owned(),
                name: (*name).to_owned(),
                tool: "callgrind".to_owned(),
                environment: (*environment).to_owned(),
            };
            let values = BTreeMap::from([("Ir".to_owned(), summary::Value::Count(*count))]);
            all.results.insert(key, Recording { values, ..Recording::default() });
        }
        all
    }

    fn steps(commits: &[CommitResults], name: &str) -> Vec<Step> {
        let all = collect(commits, &CALLGRIND, MetricKind::Ir, |_| true);
        let key = SeriesKey { package: "p".to_owned(), name: name.to_owned() };
        all[&key].steps()
    }

    #[test]
    fn each_change_is_a_step() {
        let commits = [
            commit(&[("a", "e", 5), ("b", "e", 1)]),
            commit(&[]),
            commit(&[("a", "e", 5)]),
            commit(&[("a", "e", 6), ("b", "e", 1)]),
        ];
        let difference = StepDifference::Value { old: Value::Count(5), new: Value::Count(6) };
        let step = Step { after: 2, commit: 3, difference, is_dirty: false };
        assert_eq!(steps(&commits, "a"), [step]);
        assert_eq!(steps(&commits, "b"), []);
    }

    #[test]
    fn another_environment_starts_a_segment() {
        let commits = [
            commit(&[("a", "e", 5)]),
            commit(&[("a", "d", 7), ("a", "e", 5)]),
            commit(&[("a", "d", 8)]),
        ];
        let (old, new) = ("e".to_owned(), "d".to_owned());
        let difference = StepDifference::Environment { old, new };
        let step = Step { after: 1, commit: 2, difference, is_dirty: false };
        assert_eq!(steps(&commits, "a"), [step]);
    }

    #[test]
    fn only_selected_benchmarks_and_metrics() {
        let commits = [commit(&[("a", "e", 5), ("b", "e", 5)])];
        let names = |metric, filter: &str| {
            let found = collect(&commits, &CALLGRIND, metric, |name| name == filter);
            found.into_keys().map(|key| key.name).collect::<Vec<_>>()
        };
        assert_eq!(names(MetricKind::Ir, "a"), ["a"]);
        assert!(names(MetricKind::Dr, "a").is_empty());
    }
}
