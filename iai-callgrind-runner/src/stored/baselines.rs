//! `baseline`: lists the baselines, and deletes the results of one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use iai_callgrind_base::Natural;
use iai_callgrind_cli::{BaselineCommand, RemoveArgs};
use iai_callgrind_render::report::{print_baselines, print_removed};
use iai_callgrind_store::{
    OutputDirectory, ShardRecord, Slot, StoredBenchmark, Transaction, find_names, find_to_write,
};

use super::list::named_slots;
use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(command: &BaselineCommand) -> Result<CommandOutcome> {
    match command {
        BaselineCommand::List(home) => list(&existing_directory(home.path())?),
        BaselineCommand::Remove(options) => remove(options),
    }
}

/// Lists the baselines that the user saved.
fn list(home: &Path) -> Result<CommandOutcome> {
    let benchmarks = find_names(home, &[])?;
    let mut baselines = BTreeMap::<_, usize>::new();
    for slot in named_slots(home, &benchmarks).flat_map(|(_, slots)| slots) {
        if let Slot::Baseline(name) = slot {
            *baselines.entry(Natural(name)).or_default() += 1;
        }
    }
    let baselines: Vec<_> = baselines.into_iter().map(|(name, count)| (name.0, count)).collect();
    print_baselines(&baselines)?;
    Ok(CommandOutcome::Success)
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
