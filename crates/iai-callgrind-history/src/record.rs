//! `record`: adds stored results to the notes of the commits that they were measured at.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::path::Path;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_results::{Benchmark, ResultTable, summary_value};
use iai_callgrind_revisions::{Commit, MeasuredCommit, Repository};
use iai_callgrind_store::{
    COMMIT, SelectionError, Slot, StoredBenchmark, find_benchmarks, select_benchmarks,
};
use iai_callgrind_summary::Value;
use iai_callgrind_tools::tool::{Measurement, TOOLS, Tool};

use super::attribution::{Attribution, DirtyResults};
use super::error::{HistoryError, NoCommit};
use super::note::HistoryNote;
use super::note_text::{CommitResults, Recording, ResultKey, environment_name};
use super::notes::Notes;
use crate::error::{Error, Result};

/// The results to record, and what becomes of them.
#[derive(Debug)]
pub struct RecordOptions<'a> {
    /// The benchmarks; all without a filter.
    pub filters: &'a [String],
    /// Records results that were measured with changes that are not in the commit, and marks them.
    pub allow_dirty: bool,
    /// The remote repository to push the notes to.
    pub push: Option<&'a str>,
}

/// Records the results of the last run.
pub fn record(home: &Path, options: &RecordOptions<'_>) -> Result<()> {
    let directory = env::current_dir().map_err(Error::io("use", Path::new(".")))?;
    let selected = find_benchmarks(home, options.filters, &[])?;
    let dirty = if options.allow_dirty { DirtyResults::Mark } else { DirtyResults::Refuse };
    add(&directory, &Slot::Latest, dirty, with_tools(&selected.benchmarks))?;
    if let Some(remote) = options.push {
        Notes::of(Repository::of(&directory)?.checkout).push(remote)?;
        HistoryNote::Pushed { remote }.print();
    }
    Ok(())
}

/// Checks that the package is in a work tree with a commit, without which a run can't record its results.
pub fn check_repository(package: &Path) -> Result<()> {
    Repository::of(package)?.head()?;
    Ok(())
}

/// Records the results that a run of these benchmarks has stored in this slot. Results of other
/// tools come from earlier runs.
pub fn record_run(
    package: &Path,
    home: &Path,
    slot: &Slot,
    benchmarks: &[Benchmark],
) -> Result<()> {
    let of_run: HashMap<_, _> = benchmarks
        .iter()
        .map(|benchmark| (benchmark.files.directory(), &benchmark.options.tools))
        .collect();
    let tools = |benchmark: &StoredBenchmark| of_run.get(benchmark.files.directory());
    let selected = select_benchmarks(home, |benchmark| tools(benchmark).is_some())?;
    let has_run = |(benchmark, tool): &(&StoredBenchmark, &Tool)| {
        let mut tools = tools(benchmark).into_iter().copied().flatten();
        tools.any(|options| options.tool.name == tool.name)
    };
    let results = with_tools(&selected.benchmarks).filter(has_run);
    add(package, slot, DirtyResults::Refuse, results)
}

/// Records the results of these benchmarks in this slot, which were measured in a checkout of the commit.
pub fn record_commit(
    directory: &Path,
    commit: &Commit,
    slot: &Slot,
    benchmarks: &[StoredBenchmark],
) -> Result<()> {
    let mut new = CommitResults::default();
    for (benchmark, tool) in with_tools(benchmarks) {
        if let Some(result) = benchmark.read(tool, slot, &[])? {
            add_result(&mut new, &StoredResult { benchmark, tool, slot, result }, false);
        }
    }
    write(directory, commit, new)
}

/// Returns each benchmark with each tool that it can have a result of.
fn with_tools(
    benchmarks: &[StoredBenchmark],
) -> impl Iterator<Item = (&StoredBenchmark, &'static Tool)> {
    benchmarks.iter().flat_map(|benchmark| TOOLS.into_iter().map(move |tool| (benchmark, tool)))
}

/// A result to record.
struct StoredResult<'a> {
    benchmark: &'a StoredBenchmark,
    tool: &'a Tool,
    slot: &'a Slot,
    result: Measurement,
}

/// Adds results to the notes of the commits that they were measured at. Those that belong to no commit are left out with a
/// note.
///
/// # Errors
///
/// Returns an error if there are no results, or if all belong to no commit.
fn add<'a>(
    directory: &Path,
    slot: &Slot,
    dirty: DirtyResults,
    benchmarks: impl Iterator<Item = (&'a StoredBenchmark, &'static Tool)>,
) -> Result<()> {
    let mut attribution = Attribution::new(Repository::of(directory)?, dirty)?;
    let mut commits: BTreeMap<String, (Commit, CommitResults)> = BTreeMap::new();
    let mut left_out: BTreeMap<NoCommit, BTreeSet<String>> = BTreeMap::new();
    for (benchmark, tool) in benchmarks {
        let Some(result) = benchmark.read(tool, slot, &[])? else { continue };
        let measured = MeasuredCommit::read(&benchmark.files.path(tool.name, COMMIT, slot));
        let measured = measured.map_err(|error| NoCommit::Unreadable { error: error.to_string() });
        match measured.and_then(|measured| attribution.find(measured.as_ref())) {
            Ok((commit, is_dirty)) => {
                let none = |commit| (commit, CommitResults::default());
                let of_commit = commits.entry(commit.id.clone()).or_insert_with(|| none(commit));
                let result = StoredResult { benchmark, tool, slot, result };
                add_result(&mut of_commit.1, &result, is_dirty);
            }
            Err(reason) => {
                left_out.entry(reason).or_default().insert(benchmark.name());
            }
        }
    }
    if commits.is_empty() && left_out.is_empty() {
        let name = slot.name().to_owned();
        return Err(SelectionError::NoSuchResult { name, similar: None }.into());
    }
    let left_out = left_out.into_iter().map(|(reason, benchmarks)| HistoryError::NotRecorded {
        benchmarks: benchmarks.into_iter().collect(),
        reason,
    });
    if commits.is_empty() {
        return Err(Error::Several(left_out.collect()));
    }
    commits.into_values().try_for_each(|(commit, results)| write(directory, &commit, results))?;
    left_out.for_each(|error| HistoryNote::LeftOut { error: &error }.print());
    Ok(())
}

/// Adds results to the note of a commit.
fn write(directory: &Path, commit: &Commit, new: CommitResults) -> Result<()> {
    let results = new.results.len();
    let bytes = Notes::of(Repository::of(directory)?.checkout).update(&commit.id, |note| {
        let mut all = CommitResults::parse(note);
        all.update(new);
        all.write().map_err(|error| Error::io("write", Path::new("the note"))(error.into()))
    })?;
    HistoryNote::Recorded { results, commit: commit.short(), bytes }.print();
    Ok(())
}

/// Adds a result to those of its commit.
fn add_result(all: &mut CommitResults, stored: &StoredResult<'_>, is_dirty: bool) {
    let StoredResult { benchmark, tool, result, .. } = stored;
    let fingerprint = result.fingerprint.as_ref();
    let fingerprint = fingerprint.map(|known| known.shared().entries().clone()).unwrap_or_default();
    let environment = environment_name(&fingerprint);
    all.environments.insert(environment.clone(), fingerprint);
    let key = ResultKey {
        package: benchmark.origin(),
        name: benchmark.name(),
        tool: tool.name.to_owned(),
        environment,
    };
    all.results.insert(key, Recording { values: values(result), code: code(stored), is_dirty });
}

/// Returns what was counted or reported. Other metrics can be computed from it.
fn values(result: &Measurement) -> BTreeMap<String, Value> {
    let counted = result.total.events().map(|(kind, count)| (kind, Value::Count(count)));
    let reported = result.total.counters().map(|(kind, value)| (kind, summary_value(value)));
    counted.chain(reported).map(|(kind, value)| (kind.name().to_owned(), value)).collect()
}

/// Returns a hash of the machine code that ran, if the result has a table of its costs.
fn code(stored: &StoredResult<'_>) -> Option<String> {
    let StoredResult { benchmark, tool, slot, result } = stored;
    if !tool.has_tables() {
        return None;
    }
    let instructions = result.total.count(MetricKind::Ir)?;
    let table = ResultTable::read(&benchmark.files, tool, slot).parse(instructions, false);
    Some(format!("{:016x}", table.ok()?.work()?))
}
