//! `list`: the benchmarks with the names of their results.

use iai_callgrind_store::{StoredBenchmark, find_names};

use super::tables::{ListRow, print_list};
use crate::cli::ListArgs;
use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &ListArgs) -> Result<CommandOutcome> {
    let benchmarks = find_names(&existing_directory(options.home.path())?, &options.filters)?;
    let row = |benchmark: &StoredBenchmark| ListRow {
        origin: benchmark.origin(),
        name: benchmark.name(),
        slots: benchmark.slots().iter().map(|slot| slot.name().to_owned()).collect(),
    };
    print_list(&benchmarks.iter().map(row).collect::<Vec<_>>())?;
    Ok(CommandOutcome::Success)
}
