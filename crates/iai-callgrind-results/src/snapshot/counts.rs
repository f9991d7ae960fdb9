//! The counts of a run that are compared with a snapshot, and their differences from it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use iai_callgrind_compare::{Change, Limits};
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_tools::fingerprint::{Fingerprint, FingerprintChange};
use iai_callgrind_tools::tool::{CALLGRIND, Measurement, Tool};

/// A benchmark and a metric, as the snapshot names them.
pub(super) type Key = (String, String);

/// The benchmarks of a file that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// Some of them: there were filters, or a shard.
    Some,
}

/// A count with the largest allowed change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckedCount {
    /// The count.
    pub value: Value,
    /// Largest change in percent of the old value, in both directions.
    pub limit: f64,
}

/// The counts of a run.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Counts {
    /// The counts by benchmark and metric.
    pub values: BTreeMap<Key, CheckedCount>,
    /// The benchmarks that ran.
    pub benchmarks: BTreeSet<String>,
    /// The surroundings that counted them.
    pub fingerprint: Fingerprint,
}

/// A count that differs from the snapshot by more than its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The name of the benchmark.
    pub benchmark: String,
    /// The name of the metric.
    pub metric: String,
    /// The value in the snapshot.
    pub old: Option<Value>,
    /// The value in the run.
    pub new: Option<CheckedCount>,
}

/// The differences of the counts of a run from a snapshot.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Differences {
    /// Differences of the build and the machine.
    pub surroundings: Vec<FingerprintChange>,
    /// Counts that differ by more than their limits, and new and missing ones.
    pub beyond: Vec<Difference>,
    /// Number of counts that differ within their limits.
    pub within: usize,
    /// Number of counts that were compared.
    pub compared: usize,
}

impl Counts {
    /// Adds the result of a benchmark under a tool.
    pub fn add(
        &mut self,
        benchmark: &str,
        tool: &Tool,
        result: &Measurement,
        shown: &[MetricKind],
        limits: &Limits,
    ) {
        let benchmark = escape(benchmark);
        let allowed: BTreeMap<_, _> = limits
            .learned()
            .map(|(kind, learned)| (kind, learned.percentage))
            .chain(limits.soft())
            .collect();
        let counters = result.total.counters().map(|(kind, _)| kind);
        let kinds =
            checked_by_default(&result.total, shown).chain(counters).chain(allowed.keys().copied());
        for kind in kinds {
            let Some(value) = result.total.get(kind) else { continue };
            let limit = allowed.get(&kind).map_or(0.0, |limit| limit.max(0.0));
            let key = (benchmark.clone(), escape(&metric_name(tool, kind)));
            self.values.insert(key, CheckedCount { value, limit });
        }
        self.benchmarks.insert(benchmark);
        if let Some(fingerprint) = &result.fingerprint {
            self.fingerprint.join(&fingerprint.shared());
        }
    }

    /// Compares the counts with those of a snapshot.
    pub(super) fn compare(
        &self,
        fingerprint: &Fingerprint,
        old: &BTreeMap<Key, Value>,
        part: Part,
    ) -> Differences {
        let surroundings = self.fingerprint.changes_since(fingerprint).collect();
        let is_expected =
            |(benchmark, _): &Key| part == Part::All || self.benchmarks.contains(benchmark);
        let keys: BTreeSet<_> =
            old.keys().filter(|key| is_expected(key)).chain(self.values.keys()).collect();
        let mut differences =
            Differences { surroundings, compared: keys.len(), ..Differences::default() };
        for key in keys {
            let (new, old) = (self.values.get(key).copied(), old.get(key).copied());
            match new.zip(old) {
                Some((new, old)) if new.value == old => {}
                Some((new, old)) if new.allows(old) => differences.within += 1,
                _ => {
                    let (benchmark, metric) = key.clone();
                    differences.beyond.push(Difference { benchmark, metric, old, new });
                }
            }
        }
        differences
    }
}

impl CheckedCount {
    /// Returns true if the limit allows the change from this value.
    fn allows(self, old: Value) -> bool {
        let percentage = Change::between(Some(self.value), Some(old)).percentage();
        percentage.is_some_and(|percentage| percentage.abs() <= self.limit)
    }
}

/// Returns the metrics that are compared without a limit. For a tool with simulated caches, these
/// are the instructions, because accesses move between the caches with any change of the layout.
/// For other tools, these are the shown metrics.
fn checked_by_default(total: &Metrics, shown: &[MetricKind]) -> impl Iterator<Item = MetricKind> {
    let has_instructions = total.get(MetricKind::Ir).is_some();
    let kinds = if has_instructions { vec![MetricKind::Ir] } else { shown.to_vec() };
    kinds.into_iter()
}

/// Returns the name of a metric in a snapshot. Callgrind's have no tool.
fn metric_name(tool: &Tool, kind: MetricKind) -> String {
    if tool.name == CALLGRIND.name || kind.is_counter() {
        return kind.label().to_owned();
    }
    format!("{} ({})", kind.label(), tool.name)
}

/// Escapes the separator of columns and control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if character == '|' || character == '%' || character.is_control() {
            // A write to a string can't fail
            let _ = write!(escaped, "%{:02X}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(benchmark: &str) -> Key {
        (benchmark.to_owned(), "Instructions".to_owned())
    }

    fn counts(values: &[(&str, u64, f64)]) -> Counts {
        let mut counts = Counts::default();
        for (benchmark, value, limit) in values {
            let count = CheckedCount { value: Value::Count(*value), limit: *limit };
            counts.values.insert(key(benchmark), count);
            counts.benchmarks.insert((*benchmark).to_owned());
        }
        counts
    }

    fn beyond(new: &Counts, old: &[(&str, u64)], part: Part) -> (Vec<String>, usize) {
        let old = old.iter().map(|(name, value)| (key(name), Value::Count(*value))).collect();
        let differences = new.compare(&Fingerprint::default(), &old, part);
        let names = differences.beyond.into_iter().map(|difference| difference.benchmark);
        (names.collect(), differences.within)
    }

    #[test]
    fn a_limit_holds_in_both_directions() {
        let new = counts(&[("a", 105, 5.0), ("b", 106, 5.0), ("c", 94, 5.0), ("d", 100, 0.0)]);
        let old = [("a", 100), ("b", 100), ("c", 100), ("d", 100)];
        assert_eq!(beyond(&new, &old, Part::All), (vec!["b".to_owned(), "c".to_owned()], 1));
        let exact = counts(&[("a", 101, 0.0), ("b", 0, 0.0)]);
        let names = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(beyond(&exact, &[("a", 100), ("b", 1)], Part::All), (names, 0));
    }

    #[test]
    fn a_benchmark_is_missing_only_if_all_ran() {
        let new = counts(&[("a", 1, 0.0), ("new", 1, 0.0)]);
        let old = [("a", 1), ("missing", 1)];
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(beyond(&new, &old, Part::All), (names(&["missing", "new"]), 0));
        assert_eq!(beyond(&new, &old, Part::Some), (names(&["new"]), 0));
    }

    #[test]
    fn names_stay_on_their_line_and_in_their_column() {
        assert_eq!(escape("a | b\n50%"), "a %7C b%0A50%25");
    }
}
