//! `bisect`: the commit that changed a count.

use std::collections::BTreeMap;
use std::io::Write;

use iai_callgrind_base::console::style::PATH;
use iai_callgrind_base::{FileError, console};
use iai_callgrind_cli::BisectArgs;
use iai_callgrind_compare::Change;
use iai_callgrind_history::HistoryError;
use iai_callgrind_plan::metric::Value;
use iai_callgrind_process::watch;
use iai_callgrind_render::report::{Comparison, ComparisonRow, metric_title, print_comparison};
use iai_callgrind_render::report::{ExplainedChange, print_explanations};
use iai_callgrind_results::StoredExplainer;
use iai_callgrind_revisions::{Commit, ListedCommit, RevisionNote, note_features};

use super::measured::{Commits, Counts, Measured, repository};
use crate::error::Result;
use crate::outcome::CommandOutcome;

/// Finds the commit.
pub(super) fn run(options: &BisectArgs) -> Result<CommandOutcome> {
    // SAFETY: no other thread runs yet.
    let _watch = unsafe { watch() }?;
    // An option that clap requires
    let file = options.commits.file.as_deref().unwrap_or_default();
    let repository = repository()?;
    let (bad, filters) = options.bad_and_filters(|word| repository.resolve(word).is_ok());
    let (good, bad) = (repository.resolve(&options.good)?, repository.resolve(bad)?);
    let between = repository.list(&good, &bad)?;
    let commits = Commits::new(repository, &options.commits, file, &filters)?;
    let no_change = || {
        let [good, bad] = [&good, &bad].map(Commit::description);
        HistoryError::NoChange { good, bad }
    };
    if between.is_empty() {
        return Err(no_change().into());
    }
    let first = commits.measure(&good)?;
    let first = first.ok_or_else(|| commits.not_measured(&good))?;
    let limit = options.limit.get();
    let measured = BTreeMap::new();
    let mut search =
        Search { commits: &commits, between: &between, first: &first, limit, measured };
    let Found { commit, skipped } = search.run()?.ok_or_else(no_change)?;
    let parent = commit.checked_sub(1 + skipped);
    let before = match parent {
        Some(parent) => search.measured.get(&parent).and_then(Option::as_ref),
        None => Some(&first),
    };
    let after = search.measured.get(&commit).and_then(Option::as_ref);
    // Both were measured, because the search ends between them
    if let (Some(before), Some(after)) = (before, after) {
        let parent = parent.map_or(&good, |parent| &between[parent].commit);
        note_features(parent, before.fingerprint.as_ref(), after.fingerprint.as_ref());
        print_commits(&between[commit - skipped..=commit])?;
        print_changes(&commits, [parent, &between[commit].commit], [before, after])?;
        explain(&commits, [before, after], options)?;
    }
    Ok(CommandOutcome::Success)
}

/// Prints the found commit, after the commits before it that could not be measured.
fn print_commits(commits: &[ListedCommit]) -> Result<()> {
    let mut output = console::stdout();
    let mut print = || {
        for ListedCommit { commit, date, subject } in commits {
            writeln!(output, "{PATH}{}{PATH:#} {date} {subject}", commit.short())?;
        }
        if commits.len() > 1 {
            writeln!(output, "the count changed with one of these: the others can't be measured")?;
        }
        writeln!(output)
    };
    Ok(FileError::of_output(print())?)
}

/// Prints the counts that changed.
fn print_changes(
    commits: &Commits,
    names: [&Commit; 2],
    [before, after]: [&Measured; 2],
) -> Result<()> {
    let row = |(name, old): (&String, &Value)| {
        let new = after.counts.get(name).copied();
        let change = Change::between(new, Some(*old));
        let row = || ComparisonRow::of_values(None, name.clone(), &[Some(*old), new]);
        (change != Change::Equal).then(row)
    };
    Ok(print_comparison(&Comparison {
        title: metric_title(commits.tool.name, commits.metric),
        bases: names.map(|commit| commit.short().to_owned()).to_vec(),
        rows: before.counts.iter().filter_map(row).collect(),
    })?)
}

/// Explains the changes of the instructions.
fn explain(commits: &Commits, [before, after]: [&Measured; 2], options: &BisectArgs) -> Result<()> {
    if !commits.tool.has_tables() {
        return Ok(());
    }
    let explainer = StoredExplainer::default();
    let mut explanations = Vec::new();
    for benchmark in commits.benchmarks()? {
        let name = benchmark.name();
        if before.counts.get(&name) != after.counts.get(&name) {
            let slots = [&before.slot, &after.slot];
            let explanation = explainer.explain(commits.tool, &benchmark, slots)?;
            let title = name.clone();
            explanations.extend(explanation.map(|explanation| ExplainedChange {
                title,
                name,
                explanation,
            }));
        }
    }
    FileError::of_output(writeln!(console::stdout()))?;
    Ok(print_explanations(&explanations, options.length.lines())?)
}

/// The commit that was found.
struct Found {
    /// The index of the commit.
    commit: usize,
    /// The number of commits before it that could not be measured.
    skipped: usize,
}

/// A search for the first commit with other counts than the first one.
struct Search<'a> {
    commits: &'a Commits,
    /// The commits after the good one.
    between: &'a [ListedCommit],
    first: &'a Measured,
    /// Changes up to this percentage do not count.
    limit: f64,
    /// The commits that were measured, by their indices.
    measured: BTreeMap<usize, Option<Measured>>,
}

impl Search<'_> {
    fn run(&mut self) -> Result<Option<Found>> {
        let Some(last) = self.between.len().checked_sub(1) else { return Ok(None) };
        // The good commit is before the first index. The bad one is measured only if no other
        // commit is left
        let (mut good, mut bad) = (0, last);
        while let Some(next) = self.next(good, bad) {
            match self.has_changed(next)? {
                Some(true) => bad = next,
                Some(false) => good = next + 1,
                None => {}
            }
        }
        if !self.measured.contains_key(&bad) {
            let changed = self.has_changed(bad)?;
            if !changed.ok_or_else(|| self.commits.not_measured(&self.between[bad].commit))? {
                return Ok(None);
            }
        }
        Ok(Some(Found { commit: bad, skipped: bad - good }))
    }

    /// Returns the commit to measure next: in the middle between `good` and `bad`, or next to it.
    fn next(&self, good: usize, bad: usize) -> Option<usize> {
        let middle = good + (bad - good) / 2;
        let is_open = |index: &usize| !self.measured.contains_key(index);
        (good..bad).filter(is_open).min_by_key(|index| index.abs_diff(middle))
    }

    /// Measures a commit. Returns `None` if it can't be measured.
    fn has_changed(&mut self, index: usize) -> Result<Option<bool>> {
        let commit = &self.between[index].commit;
        let measured = self.commits.measure(commit)?;
        let changed = measured.as_ref().map(|measured| self.number_of_changes(&measured.counts));
        if let Some(changed) = changed {
            let total = self.first.counts.len();
            RevisionNote::Bisected { revision: commit.short(), changed, total }.print();
        }
        self.measured.insert(index, measured);
        Ok(changed.map(|number| number > 0))
    }

    /// Returns the number of benchmarks with other counts than at the first commit.
    fn number_of_changes(&self, counts: &Counts) -> usize {
        let has_changed = |(name, new): &(&String, &Value)| {
            let change = Change::between(Some(**new), self.first.counts.get(*name).copied());
            change.percentage().is_some_and(|percentage| percentage.abs() > self.limit)
        };
        counts.iter().filter(has_changed).count()
    }
}
