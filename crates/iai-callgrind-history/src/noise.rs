//! The noise of benchmarks, learned from recorded commits that did not touch their code.

use std::collections::{BTreeMap, HashMap};

use iai_callgrind_compare::Noise;
use iai_callgrind_plan::metric::Metrics;
use iai_callgrind_tools::tool::TOOLS;

use super::note_text::{CommitResults, ResultKey};
use super::series::total;

/// A benchmark under a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NoiseKey {
    pub(super) package: String,
    pub(super) name: String,
    pub(super) tool: &'static str,
}

/// The last recorded result of a benchmark in an environment.
struct LastResult<'a> {
    code: &'a str,
    total: Metrics,
}

/// Learns the noise of each selected benchmark under each tool whose results have code, from the
/// oldest commit to the newest. Commits are compared only within an environment.
pub(super) fn learn(
    commits: &[CommitResults],
    is_selected: impl Fn(&str) -> bool,
) -> BTreeMap<NoiseKey, Noise> {
    let mut last: HashMap<&ResultKey, LastResult<'_>> = HashMap::new();
    let mut all: BTreeMap<NoiseKey, Noise> = BTreeMap::new();
    for commit in commits {
        for (key, recording) in commit.results.iter().filter(|(key, _)| is_selected(&key.name)) {
            let Some(tool) = TOOLS.iter().find(|tool| tool.name == key.tool) else { continue };
            let is_certain = !recording.is_dirty && !commit.contradictions.contains(key);
            let code = recording.code.as_deref().filter(|_| is_certain);
            let Some(code) = code else {
                last.remove(key);
                continue;
            };
            let (package, name) = (key.package.clone(), key.name.clone());
            let noise = all.entry(NoiseKey { package, name, tool: tool.name }).or_default();
            let total = total(tool, &recording.values);
            if let Some(last) = last.get(key).filter(|last| last.code == code) {
                noise.add_pair(&last.total, &total);
            }
            noise.set_newest(&total);
            last.insert(key, LastResult { code, total });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{Ir, RamHits};
    use iai_callgrind_summary::Value;

    use super::super::note_text::Recording;
    use super::*;

    /// Number of accesses to the memory, machine code and environment at a commit.
    type At = (u64, Option<&'static str>, &'static str);

    fn commit((memory, code, environment): At) -> CommitResults {
        let key = ResultKey {
            package: "p".to_owned(),
            name: "a".to_owned(),
            tool: "callgrind".to_owned(),
            environment: environment.to_owned(),
        };
        let none = ["Dr", "Dw", "I1mr", "D1mw", "ILmr", "DLmw"].map(|name| (name, 0));
        let counted = [("Ir", 1000), ("D1mr", memory), ("DLmr", memory)];
        let values = counted.into_iter().chain(none);
        let values = values.map(|(name, count)| (name.to_owned(), Value::Count(count))).collect();
        let recording = Recording { values, code: code.map(str::to_owned), is_dirty: false };
        CommitResults { results: [(key, recording)].into(), ..CommitResults::default() }
    }

    /// Returns the number of pairs, and the largest change of the accesses to the memory.
    fn learned(commits: &[CommitResults]) -> (usize, Option<u64>) {
        let all = learn(commits, |_| true);
        let Some(noise) = all.values().next() else { return (0, None) };
        let of = |kind| noise.floors().find(|floor| floor.kind == kind);
        assert_eq!(of(Ir).map(|floor| floor.largest).unwrap_or_default(), 0);
        (noise.observations.pairs, of(RamHits).map(|floor| floor.largest))
    }

    fn of(commits: &[At]) -> (usize, Option<u64>) {
        learned(&commits.iter().copied().map(commit).collect::<Vec<_>>())
    }

    #[test]
    fn neighbours_with_the_same_code_are_pairs() {
        let same = |memory| (memory, Some("c"), "e");
        assert_eq!(of(&[same(10), same(12), same(11), same(11)]), (3, Some(2)));
        assert_eq!(of(&[same(10), same(12), same(11)]), (2, None), "too few");
        assert_eq!(of(&[same(10), same(12), (90, Some("d"), "e"), same(11)]), (1, None));
        assert_eq!(of(&[same(10), (12, None, "e"), same(11)]), (0, None), "without a table");
    }

    #[test]
    fn environments_are_not_compared_but_all_count() {
        let at = |memory, environment| (memory, Some("c"), environment);
        let commits =
            [at(10, "d"), at(90, "e"), at(12, "d"), at(91, "e"), at(10, "d"), at(91, "e")];
        assert_eq!(of(&commits), (4, Some(2)));
    }

    #[test]
    fn commits_without_a_result_are_skipped_and_contradictions_are_not_used() {
        let same = |memory| commit((memory, Some("c"), "e"));
        let mut contradiction = same(50);
        contradiction.contradictions = contradiction.results.keys().cloned().collect();
        let none = CommitResults::default();
        let commits = [same(10), none, same(11), same(12), same(12)];
        assert_eq!(learned(&commits), (3, Some(1)));
        let commits = [same(10), same(11), contradiction, same(12), same(12)];
        assert_eq!(learned(&commits), (2, None));
    }
}
