//! `record`: adds stored results to the note of their commit.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::ExitCode;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_summary::Value;

use super::note_text::{CommitResults, Recording, ResultKey, environment_name};
use super::notes::Notes;
use crate::against::{Commit, Repository};
use crate::cli::RecordArgs;
use crate::error::{Error, Result};
use crate::explanation::StoredTable;
use crate::git;
use crate::note::Note;
use crate::output::Slot;
use crate::report::summary_value;
use crate::stored::{StoredBenchmark, find_benchmarks, select_benchmarks, select_directory};
use crate::tool::{Measurement, TOOLS, Tool};

/// Records the results of the last run.
pub(crate) fn record(options: &RecordArgs) -> Result<ExitCode> {
    let directory = env::current_dir().map_err(Error::io("use", Path::new(".")))?;
    let home = select_directory(options.home.path())?;
    let selected = find_benchmarks(Some(&home), &options.filters)?;
    let target = Target { home: &home, slot: &Slot::Latest, allow_dirty: options.allow_dirty };
    target.add(&directory, selected.benchmarks.iter())?;
    if options.push {
        Notes::of(Repository::of(&directory)?.checkout).push(&options.remote)?;
        Note::Pushed { remote: &options.remote }.print();
    }
    Ok(ExitCode::SUCCESS)
}

/// Records the results of these benchmarks, which a run has stored in this slot. `benchmarks` are their directories.
pub(crate) fn record_run(
    package: &Path,
    home: &Path,
    slot: &Slot,
    benchmarks: &BTreeSet<&Path>,
) -> Result<()> {
    let is_of_run = |benchmark: &StoredBenchmark| benchmarks.contains(benchmark.files.directory());
    let selected = select_benchmarks(home, is_of_run)?;
    let target = Target { home, slot, allow_dirty: false };
    target.add(package, selected.benchmarks.iter())
}

/// The results to record.
struct Target<'a> {
    home: &'a Path,
    slot: &'a Slot,
    /// Records the results of a work tree with changes.
    allow_dirty: bool,
}

impl Target<'_> {
    /// Adds results to the note of the commit that is checked out.
    fn add<'b>(
        &self,
        directory: &Path,
        benchmarks: impl Iterator<Item = &'b StoredBenchmark>,
    ) -> Result<()> {
        let repository = Repository::of(directory)?;
        let commit = repository.resolve("HEAD")?;
        if !self.allow_dirty {
            self.check_changes(directory, &commit)?;
        }
        let mut new = CommitResults::default();
        for benchmark in benchmarks {
            add_results(&mut new, benchmark, self.slot)?;
        }
        let results = new.results.len();
        let bytes = Notes::of(repository.checkout).update(&commit.id, |text| {
            let mut all = CommitResults::parse(text);
            all.update(new);
            let name = || Path::new("the note").to_owned();
            all.text().map_err(|error| Error::io("write", &name())(error.into()))
        })?;
        Note::Recorded { results, commit: commit.short(), bytes }.print();
        Ok(())
    }

    /// Returns an error if the work tree has changes that the commit does not have.
    fn check_changes(&self, directory: &Path, commit: &Commit) -> Result<()> {
        let Some(revision) = git::revision(directory, self.home) else { return Ok(()) };
        if revision.uncommitted.is_empty() {
            return Ok(());
        }
        let files = revision.uncommitted.into_keys().collect();
        Err(Error::Uncommitted { commit: commit.short().to_owned(), files })
    }
}

/// Adds the result of a benchmark under each tool that it ran under.
fn add_results(all: &mut CommitResults, benchmark: &StoredBenchmark, slot: &Slot) -> Result<()> {
    for tool in TOOLS {
        let Some(result) = benchmark.read(tool, slot, &[])? else { continue };
        let fingerprint = result.fingerprint.as_ref();
        let fingerprint = fingerprint.map(|known| known.entries().clone()).unwrap_or_default();
        let environment = environment_name(&fingerprint);
        all.environments.insert(environment.clone(), fingerprint);
        let key = ResultKey {
            package: benchmark.origin(),
            name: benchmark.name(),
            tool: tool.name.to_owned(),
            environment,
        };
        let code = code(benchmark, tool, slot, &result);
        all.results.insert(key, Recording { values: values(&result), code });
    }
    Ok(())
}

/// Returns what was counted or reported. Other metrics can be computed from it.
fn values(result: &Measurement) -> BTreeMap<String, Value> {
    let counted = result.total.events().map(|(kind, count)| (kind, Value::Count(count)));
    let reported = result.total.counters().map(|(kind, value)| (kind, summary_value(value)));
    counted.chain(reported).map(|(kind, value)| (kind.name().to_owned(), value)).collect()
}

/// Returns a hash of the machine code that ran, if the result has a table of its costs.
fn code(
    benchmark: &StoredBenchmark,
    tool: &Tool,
    slot: &Slot,
    result: &Measurement,
) -> Option<String> {
    if !tool.has_tables() {
        return None;
    }
    let instructions = result.total.count(MetricKind::Ir)?;
    let table = StoredTable::read(&benchmark.files, tool, slot).parse(instructions, false);
    Some(format!("{:016x}", table.ok()?.work()?))
}
