//! `prune`: deletes the results of benchmarks that are no longer in the project.

use std::collections::HashSet;
use std::fs;

use iai_callgrind_base::note::counted;
use iai_callgrind_cli::PruneArgs;
use iai_callgrind_render::report::{print_line, print_list};
use iai_callgrind_store::{
    OutputDirectory, StoredBenchmark, Transaction, find_names, is_chart_of, list_charts,
    lock_benchmarks, remove_file,
};

use super::gone::Project;
use super::list::list_rows;
use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &PruneArgs) -> Result<CommandOutcome> {
    let home = existing_directory(options.home.path())?;
    let mut project = Project::here();
    let (_, gone) = project.split(find_names(&home, &options.filters.all())?)?;
    let locks = if options.dry_run { Vec::new() } else { lock_benchmarks(&home, &gone)? };
    // A run that had the lock can have declared one of them
    project.forget_runs();
    let (_, gone) = project.split(gone)?;
    let rows = list_rows(&home, &gone);
    locks.into_iter().try_for_each(|directory| delete(directory, &gone))?;
    print_list(&rows)?;
    if gone.is_empty() {
        print_line("nothing to delete: the project has all of these benchmarks")?;
        return Ok(CommandOutcome::Success);
    }
    let done = if options.dry_run { "would delete" } else { "deleted" };
    let number = counted(gone.len(), "benchmark");
    print_line(&format!("{done} the results of {number} that the project no longer has"))?;
    Ok(CommandOutcome::Success)
}

/// Deletes the files of these benchmarks in the directory of a benchmark file, each benchmark's all
/// or none, and then empty directories.
fn delete(directory: OutputDirectory, gone: &[StoredBenchmark]) -> Result<()> {
    let is_here = |benchmark: &&StoredBenchmark| benchmark.files.output() == directory.path();
    let gone: Vec<_> = gone.iter().filter(is_here).collect();
    let staging = directory.staging()?;
    for (number, benchmark) in gone.iter().enumerate() {
        let mut removal = Transaction::new(&staging.path().join(format!("prune{number}")));
        benchmark.files.all().into_iter().for_each(|file| removal.remove(file));
        removal.commit()?;
        let _ = fs::remove_dir(benchmark.files.directory());
    }
    for benchmark in gone {
        delete_charts(benchmark)?;
        let _ = fs::remove_dir(benchmark.files.group_directory());
    }
    drop(staging);
    directory.remove_if_empty();
    Ok(())
}

/// Deletes the charts of a function that has no results in its group.
fn delete_charts(benchmark: &StoredBenchmark) -> Result<()> {
    let (files, function) = (&benchmark.files, &benchmark.function);
    let entries = fs::read_dir(files.group_directory()).into_iter().flatten().flatten();
    let paths: HashSet<_> = entries.map(|entry| entry.path()).collect();
    let has_results = paths.iter().any(|path| path.is_dir() && is_chart_of(path, function));
    if has_results {
        return Ok(());
    }
    let charts = list_charts(files.group_directory()).into_iter();
    let mut charts = charts.filter(|path| is_chart_of(path, function));
    Ok(charts.try_for_each(|path| remove_file(&path))?)
}
