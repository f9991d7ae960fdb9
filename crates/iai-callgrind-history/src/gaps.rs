//! Commits that were not recorded: a change between two recorded commits can be theirs.

use std::collections::{BTreeMap, BTreeSet};

use iai_callgrind_base::invocation::command_line;
use iai_callgrind_revisions::ListedCommit;
use iai_callgrind_store::COMMANDS_PACKAGE;
use shlex::try_quote;

use super::series::{Series, SeriesKey};

/// The commits without a value between those of shown steps, by package and benchmark file.
#[derive(Debug, Default)]
pub(super) struct Gaps(BTreeMap<(String, String), FileGaps>);

/// The gaps of a benchmark file.
#[derive(Debug)]
struct FileGaps {
    /// The recorded commit before the first gap.
    first: usize,
    /// The recorded commit after the last gap.
    last: usize,
    /// The places of the missing commits in the history.
    missing: BTreeSet<usize>,
}

impl Gaps {
    /// Adds the gaps before the steps of a benchmark. The recorded commits have these places in the history.
    pub(super) fn add(&mut self, places: &[usize], key: &SeriesKey, series: &Series) {
        for step in series.steps() {
            let (after, commit) = (step.after, step.commit);
            let missing = places[after] + 1..places[commit];
            if missing.is_empty() {
                continue;
            }
            // Results of a target have it in parentheses
            let package = key.package.split(' ').next().unwrap_or_default().to_owned();
            let file = key.name.split("::").next().unwrap_or_default().to_owned();
            let none = || FileGaps { first: after, last: commit, missing: BTreeSet::new() };
            let gaps = self.0.entry((package, file)).or_insert_with(none);
            gaps.first = gaps.first.min(after);
            gaps.last = gaps.last.max(commit);
            gaps.missing.extend(missing);
        }
    }

    /// Returns the number of missing commits of each benchmark file, and the command that measures and records them; `None`
    /// for commands, which have no file to build.
    pub(super) fn commands(&self, commits: &[ListedCommit]) -> Vec<(usize, Option<String>)> {
        let command = |((package, file), gaps): (&(String, String), &FileGaps)| {
            let [first, last] = [gaps.first, gaps.last].map(|index| commits[index].commit.short());
            // The names are from notes, and the user copies the line into a shell
            let quoted = try_quote(file).ok().zip(try_quote(package).ok());
            let quoted = quoted.filter(|_| package != COMMANDS_PACKAGE);
            let command = quoted.map(|(file, package)| {
                command_line(&format!(
                    "history {first}..{last} --record --bench={file} --package={package}"
                ))
            });
            (gaps.missing.len(), command)
        };
        self.0.iter().map(command).collect()
    }
}
