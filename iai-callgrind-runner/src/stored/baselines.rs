//! `baseline remove`: deletes the results of a baseline.

use std::fs;

use iai_callgrind_cli::{BaselineCommand, RemoveArgs};
use iai_callgrind_render::report::print_removed;
use iai_callgrind_store::{
    OutputDirectory, ShardRecord, Slot, StoredBenchmark, Transaction, find_to_write,
};

use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(command: &BaselineCommand) -> Result<CommandOutcome> {
    match command {
        BaselineCommand::Remove(options) => remove(options),
    }
}

/// Removes a baseline of the selected benchmarks, in each benchmark file all or none.
fn remove(options: &RemoveArgs) -> Result<CommandOutcome> {
    let slot = Slot::baseline(&options.name)?;
    let selected =
        find_to_write(&existing_directory(options.home.path())?, &options.filters, &slot)?;
    let mut removed = selected.benchmarks;
    removed.retain(|benchmark| benchmark.slots().contains(&slot));
    for directory in &selected.locks {
        let is_in = |benchmark: &&StoredBenchmark| {
            benchmark.files.directory().starts_with(directory.path())
        };
        remove_from(directory, removed.iter().filter(is_in), &slot)?;
        if options.filters.is_empty() {
            ShardRecord::remove(directory.path(), &slot)?;
        }
    }
    print_removed(slot.name(), removed.len())?;
    Ok(CommandOutcome::Success)
}

/// Removes the results of these benchmarks from the directory of a benchmark file, and then empty
/// directories.
fn remove_from<'a>(
    directory: &OutputDirectory,
    benchmarks: impl Iterator<Item = &'a StoredBenchmark> + Clone,
    slot: &Slot,
) -> Result<()> {
    let staging = directory.staging()?;
    let mut removal = Transaction::new(&staging.path().join("baseline"));
    for benchmark in benchmarks.clone() {
        benchmark.files.removed_with(slot).into_iter().for_each(|file| removal.remove(file));
    }
    removal.commit()?;
    for benchmark in benchmarks {
        // Directories with other results are not empty
        let _ = fs::remove_dir(benchmark.files.directory());
        let _ = fs::remove_dir(benchmark.files.group_directory());
    }
    Ok(())
}
