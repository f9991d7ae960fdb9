//! The commits of a range that were not recorded.

use std::collections::BTreeSet;
use std::path::Path;

use iai_callgrind_revisions::{ListedCommit, Repository};

use super::note_text::CommitResults;
use super::notes::Notes;
use crate::error::Result;

/// Returns the commits of a range without recorded results of the selected benchmarks, given by
/// package and name. A commit that lacks a benchmark of both ends is missing too.
pub fn missing(
    directory: &Path,
    range: &str,
    is_selected: impl Fn(&str, &str) -> bool,
) -> Result<Vec<ListedCommit>> {
    let repository = Repository::of(directory)?;
    let listed = repository.history(Some(range))?;
    let notes = Notes::of(repository.checkout).read_all()?;
    let names = |listed: &ListedCommit| -> BTreeSet<(String, String)> {
        let note = notes.get(&listed.commit.id).map_or(&b""[..], Vec::as_slice);
        let keys = CommitResults::parse(note).results.into_keys();
        let keys = keys.filter(|key| is_selected(&key.package, &key.name));
        keys.map(|key| (key.name, key.tool)).collect()
    };
    let recorded: Vec<_> = listed.iter().map(names).collect();
    let ends = recorded.first().zip(recorded.last());
    let needed: BTreeSet<_> = ends
        .map_or_else(BTreeSet::new, |(first, last)| first.intersection(last).cloned().collect());
    let is_missing = |names: &BTreeSet<_>| names.is_empty() || !needed.is_subset(names);
    let all = listed.into_iter().zip(recorded);
    Ok(all.filter(|(_, names)| is_missing(names)).map(|(listed, _)| listed).collect())
}
