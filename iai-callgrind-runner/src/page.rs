//! The report as HTML: a start page and a page for each benchmark, which need neither a server nor a network.

mod benchmark;
mod causes;
mod commits;
mod compared;
mod data;
mod details;
mod entry;
mod excerpt;
mod explanation;
mod file_name;
mod functions;
mod history;
mod layout;
mod metric_names;
mod metrics;
mod site;
mod source;
mod start;
mod table;
mod time;
mod verdict;

use std::collections::BTreeSet;
use std::env;
use std::path::Path;

use iai_callgrind_render::format::DATA;
use iai_callgrind_results::Mode;
use iai_callgrind_revisions::workspace_directory;
use iai_callgrind_store::{StoredBenchmark, create_below, find_benchmarks, select_benchmarks};
use iai_callgrind_summary::Summary;

use self::data::{lock, read_summaries, replace_summaries, write_summaries};
use self::details::StoredResult;
use self::site::{Site, check, write_first};
use crate::cli::ReportArgs;
use crate::error::{Error, Result};
use crate::note::Note;
use crate::outcome::CommandOutcome;
use crate::settings::Settings;
use crate::stored::existing_directory;
use crate::stored::{report, select_mode};

/// Checks the directory of pages before a run, and creates what the run needs in it.
pub(crate) fn prepare(directory: &Path) -> Result<()> {
    check(directory)?;
    write_first(directory)?;
    Ok(create_below(directory, &directory.join(DATA))?)
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
    let mut summaries = read_summaries(directory)?;
    let completed = site.complete(&mut summaries)?;
    // The next run of another benchmark file reads them
    let is_completed =
        |summary: &&Summary| completed.contains(&(summary.package.clone(), summary.file.clone()));
    write_summaries(directory, summaries.iter().filter(is_completed))?;
    write(&site, &summaries)
}

/// Runs `report --html`: writes the pages of stored results or of JSON summaries.
pub(crate) fn run(directory: &Path, options: &ReportArgs) -> Result<CommandOutcome> {
    check(directory)?;
    let mut results = report::summarize(options)?;
    let mode = select_mode(&options.results)?;
    let selected = match &*options.files {
        [] => Some(find_benchmarks(
            &existing_directory(options.home.path())?,
            &options.results.filters,
            &[],
        )?),
        _ => None,
    };
    prepare(directory)?;
    let _lock = lock(directory)?;
    let benchmarks = selected.iter().flat_map(|selected| &selected.benchmarks);
    let current = env::current_dir().map_err(Error::io("use", Path::new(".")))?;
    let workspace = workspace_directory(&current);
    let lines = options.length.lines();
    let site = Site::new(directory, &workspace, stored(benchmarks, &mode), lines);
    site.complete(&mut results.summaries)?;
    replace_summaries(directory, &results.summaries)?;
    write(&site, &results.summaries)?;
    results.outcome()
}

/// Writes the pages of summaries without stored results.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn write_foreign(
    directory: &Path,
    workspace: &Path,
    summaries: &mut [Summary],
) -> Result<()> {
    prepare(directory)?;
    let _lock = lock(directory)?;
    let site = Site::new(directory, workspace, std::iter::empty(), 0);
    site.complete(summaries)?;
    replace_summaries(directory, summaries)?;
    site.write(summaries)
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
