//! `list`: the benchmarks and what is stored of them.

use std::process::ExitCode;

use super::find::find;
use super::tables::print_list;
use crate::cli::List;
use crate::error::Result;

/// A benchmark with the names of its results.
pub(crate) struct Listed {
    pub(crate) origin: String,
    pub(crate) name: String,
    pub(crate) slots: Vec<String>,
}

pub(super) fn run(options: &List) -> Result<ExitCode> {
    let found = find(options.home.path(), &options.filters)?;
    let listed: Vec<_> = found
        .benchmarks
        .iter()
        .map(|benchmark| Listed {
            origin: benchmark.origin(),
            name: benchmark.name(),
            slots: benchmark.slots().iter().map(|slot| slot.name().to_owned()).collect(),
        })
        .collect();
    print_list(&listed);
    Ok(ExitCode::SUCCESS)
}
