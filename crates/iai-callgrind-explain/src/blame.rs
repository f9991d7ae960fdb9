//! The part of a difference that the edits of a function can have caused.

use std::collections::HashSet;

use crate::difference::Difference;
use crate::entry::{CodeChange, Entry, signed};

/// The change that the edits of a function can have caused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Blame {
    /// The change of each call of the function, for all calls of the new result, and the changes of
    /// functions without an edit whose number of calls it changed.
    pub change: i64,
    /// False if the function runs in one of the results only, because its lines are not the reason. A function that was or is
    /// a part of its callers runs there.
    pub runs_in_both: bool,
}

impl Difference {
    /// Returns the blame of each entry. If a function is called more often or less often, the
    /// reason can be a function that calls it.
    #[must_use]
    pub fn blames(&self) -> Vec<Blame> {
        let mut blames: Vec<_> = self
            .entries
            .iter()
            .map(|entry| Blame { change: own(entry), runs_in_both: runs_in_both(entry) })
            .collect();
        for (index, entry) in self.entries.iter().enumerate() {
            let passed = entry.change() - own(entry);
            if passed != 0 {
                self.pass(index, passed, &mut HashSet::from([index]), &mut blames);
            }
        }
        blames
    }

    /// Passes a change to the functions with edits that call an entry, directly or not.
    fn pass(&self, callee: usize, change: i64, visited: &mut HashSet<usize>, blames: &mut [Blame]) {
        let Some(name) = &self.entries[callee].owner else { return };
        let times = |entry: &Entry| {
            let calls = entry.callees.iter().filter(|callee| callee.name == *name);
            calls.map(|callee| callee.old.abs_diff(callee.new)).sum::<u64>()
        };
        let callers = self.entries.iter().map(times).enumerate();
        let callers: Vec<_> =
            callers.filter(|(index, times)| *times > 0 && visited.insert(*index)).collect();
        let all: u64 = callers.iter().map(|(_, times)| times).sum();
        for (caller, times) in callers {
            let part = share(change, times, all);
            if self.entries[caller].changed_lines.is_empty() {
                self.pass(caller, part, visited, blames);
            } else {
                blames[caller].change += part;
            }
        }
    }
}

/// Returns true if the lines of a function run in both results.
fn runs_in_both(entry: &Entry) -> bool {
    let is_inlined = matches!(entry.code, CodeChange::Inlined | CodeChange::NoLongerInlined);
    is_inlined || entry.old > 0 && entry.new > 0
}

/// Returns the change per call, without the change of the number of calls.
fn own(entry: &Entry) -> i64 {
    match entry.calls {
        (old, new) if old == new => entry.change(),
        (0, _) | (_, 0) => 0,
        (old, new) => signed(entry.new) - share(signed(entry.old), new, old),
    }
}

/// Returns a part of a number.
fn share(number: i64, part: u64, all: u64) -> i64 {
    let product = i128::from(number) * i128::from(part) / i128::from(all.max(1));
    i64::try_from(product).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Callee, ChangedLine};
    use crate::verdict::Verdict;

    fn callee(&(name, old, new): &(&str, u64, u64)) -> Callee {
        Callee { name: name.to_owned(), old, new, is_moved: false }
    }

    /// Returns a function with its costs and calls. It has an edit if its name has one.
    fn entry(
        name: &str,
        costs: [u64; 2],
        calls: (u64, u64),
        callees: &[(&str, u64, u64)],
    ) -> Entry {
        let line = ChangedLine { file: name.to_owned(), line: 1, is_new: true, after: 0 };
        let is_edited = name.starts_with("edited");
        Entry {
            owner: Some(name.to_owned()),
            file: name.to_owned(),
            old: costs[0],
            new: costs[1],
            assumed: 0,
            calls,
            code: CodeChange::Other,
            changed_lines: if is_edited { vec![line] } else { Vec::new() },
            merged_lines: Vec::new(),
            sites: Vec::new(),
            callees: callees.iter().map(callee).collect(),
        }
    }

    fn blames(entries: Vec<Entry>) -> Vec<(i64, bool)> {
        let difference = Difference {
            old: 0,
            new: 0,
            verdict: Verdict::Equal,
            entries,
            executed_in: Vec::new(),
            files: Vec::new(),
            has_debug_info: true,
            unseen_value: None,
        };
        let blames = difference.blames().into_iter();
        blames.map(|blame| (blame.change, blame.runs_in_both)).collect()
    }

    #[test]
    fn calls_are_the_blame_of_the_nearest_caller_with_an_edit() {
        let blames = blames(vec![
            entry("grow", [600, 200], (3, 1), &[]),
            entry("edited::reserve", [30, 10], (3, 1), &[("between", 3, 1)]),
            entry("edited::push", [500, 620], (1, 1), &[("edited::reserve", 3, 1)]),
            entry("between", [3, 1], (3, 1), &[("grow", 3, 1)]),
        ]);
        assert_eq!(blames, [(0, true), (-402, true), (100, true), (0, true)]);
    }

    #[test]
    fn a_function_that_is_called_as_often_has_its_whole_change() {
        assert_eq!(blames(vec![entry("edited", [100, 150], (2, 2), &[])]), [(50, true)]);
        // Inlined
        assert_eq!(blames(vec![entry("edited", [100, 150], (0, 0), &[])]), [(50, true)]);
        // Slower and called more often
        assert_eq!(blames(vec![entry("edited", [100, 330], (1, 3), &[])]), [(30, true)]);
    }

    #[test]
    fn a_function_that_runs_on_one_side_is_not_the_reason() {
        let extend = entry("edited::extend", [100, 90], (1, 1), &[("edited::push", 9, 0)]);
        let push = entry("edited::push", [300, 0], (9, 0), &[]);
        assert_eq!(blames(vec![extend, push]), [(-310, true), (0, false)]);
    }

    #[test]
    fn a_function_that_was_part_of_its_callers_runs_on_both_sides() {
        let code = CodeChange::NoLongerInlined;
        let insert = Entry { code, ..entry("edited::insert", [0, 400], (0, 1), &[("next", 0, 9)]) };
        let next = entry("next", [0, 2000], (0, 9), &[]);
        assert_eq!(blames(vec![next, insert]), [(0, false), (2000, true)]);
    }

    #[test]
    fn functions_that_call_each_other_have_an_end() {
        let one = entry("one", [10, 20], (1, 2), &[("two", 1, 2)]);
        let two = entry("two", [10, 20], (1, 2), &[("one", 1, 2), ("two", 5, 6)]);
        assert_eq!(blames(vec![one, two]), [(0, true), (0, true)]);
    }
}
