//! The report as HTML: a start page and a page for each benchmark, which need neither a server nor a network.

mod benchmark;
mod chart;
mod details;
mod entry;
mod functions;
mod history;
mod layout;
mod metrics;
mod site;
mod source;
mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use iai_callgrind_summary::Summary;

use self::details::StoredResult;
use self::site::{Site, check, read_summaries, write_first};
use crate::cli::ReportArgs;
use crate::error::{Error, Result};
use crate::format::{DATA, Document, ReportFile};
use crate::note::Note;
use crate::output::{create_below, lock_file, remove_file};
use crate::settings::{Mode, Settings, workspace_directory};
use crate::stored::{StoredBenchmark, find_benchmarks, report, select_benchmarks, select_mode};

/// Checks the directory of pages before a run, and creates what the run needs in it.
pub(crate) fn prepare(directory: &Path) -> Result<()> {
    check(directory)?;
    write_first(directory)?;
    create_below(directory, &directory.join(DATA))
}

/// Waits until no other run writes the pages, of which it would not know the newest. It comes after the locks of the
/// results, so that two processes never wait for each other.
fn lock(directory: &Path) -> Result<File> {
    lock_file(&directory.join(DATA), ".lock")
}

/// Writes the pages of the benchmarks in these directories, which a run of this package has stored.
pub(crate) fn write_run(
    directory: &Path,
    settings: &Settings,
    package: &Path,
    benchmarks: &BTreeSet<&Path>,
) -> Result<()> {
    let is_of_run = |benchmark: &StoredBenchmark| benchmarks.contains(benchmark.files.directory());
    let selected = select_benchmarks(&settings.home, is_of_run)?;
    let benchmarks = selected.benchmarks.iter();
    let _lock = lock(directory)?;
    let workspace = workspace_directory(package);
    let lines = settings.explanations.lines;
    let site = Site::new(directory, &workspace, stored(benchmarks, &settings.mode), lines);
    write(&site, &read_summaries(directory)?)
}

/// Runs `report --html`: writes the pages of stored results or of JSON summaries.
pub(crate) fn run(directory: &Path, options: &ReportArgs) -> Result<ExitCode> {
    check(directory)?;
    let results = report::summarize(options)?;
    let mode = select_mode(&options.results)?;
    let selected = match &*options.files {
        [] => Some(find_benchmarks(options.home.path(), &options.results.filters)?),
        _ => None,
    };
    prepare(directory)?;
    let _lock = lock(directory)?;
    write_data(directory, &results.summaries)?;
    let benchmarks = selected.iter().flat_map(|selected| &selected.benchmarks);
    let current = env::current_dir().map_err(Error::io("use", Path::new(".")))?;
    let workspace = workspace_directory(&current);
    let lines = options.length.lines();
    let site = Site::new(directory, &workspace, stored(benchmarks, &mode), lines);
    write(&site, &results.summaries)?;
    results.exit_code()
}

/// Returns the results of benchmarks that are compared.
fn stored<'a>(
    benchmarks: impl Iterator<Item = &'a StoredBenchmark>,
    mode: &'a Mode,
) -> impl Iterator<Item = StoredResult<'a>> {
    let (new, old) = (&mode.new, mode.old_after_run());
    benchmarks.map(move |benchmark| StoredResult { benchmark, new, old })
}

fn write(site: &Site<'_>, summaries: &[Summary]) -> Result<()> {
    site.write(summaries)?;
    Note::Pages { start: &site.start(), benchmarks: summaries.len() }.print();
    Ok(())
}

/// Replaces the summaries of a site, a file for each benchmark file as a run writes them.
fn write_data(directory: &Path, summaries: &[Summary]) -> Result<()> {
    let mut files: BTreeMap<PathBuf, (ReportFile, Vec<Summary>)> = BTreeMap::new();
    for summary in summaries {
        let file = ReportFile::of_pages(directory).resolve(&summary.package, &summary.file);
        files.entry(file.path.clone()).or_insert((file, Vec::new())).1.push(summary.clone());
    }
    for path in site::data_files(directory)? {
        if !files.contains_key(&path) {
            remove_file(&path)?;
        }
    }
    for (file, summaries) in files.values() {
        let document = Document { summaries, hook_failures: &[], seconds: None };
        file.write(&file.format.document(&document))?;
    }
    Ok(())
}
