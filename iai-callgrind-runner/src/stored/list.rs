//! `list`: the benchmarks with the names of their results.

use std::path::Path;

use iai_callgrind_base::Natural;
use iai_callgrind_cli::ListArgs;
use iai_callgrind_render::report::{ListRow, print_list};
use iai_callgrind_revisions::kept_baselines;
use iai_callgrind_store::{Slot, StoredBenchmark, find_names};

use super::gone::leave_out_gone;
use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &ListArgs) -> Result<CommandOutcome> {
    let home = existing_directory(options.home.path())?;
    let mut benchmarks = find_names(&home, &options.filters.all())?;
    leave_out_gone(&mut benchmarks)?;
    print_list(&list_rows(&home, &benchmarks))?;
    Ok(CommandOutcome::Success)
}

/// Returns the rows of benchmarks with results that the user named, without the results of
/// `--against`.
pub(super) fn list_rows(home: &Path, benchmarks: &[StoredBenchmark]) -> Vec<ListRow> {
    let row = |(benchmark, mut slots): (&StoredBenchmark, Vec<Slot>)| {
        slots.sort_by_key(|slot| {
            (matches!(slot, Slot::Baseline(_)), Natural(slot.name().to_owned()))
        });
        let slots: Vec<_> = slots.iter().map(|slot| slot.name().to_owned()).collect();
        let (origin, name) = (benchmark.origin(), benchmark.name());
        (!slots.is_empty()).then_some(ListRow { origin, name, slots })
    };
    named_slots(home, benchmarks).filter_map(row).collect()
}

/// Returns benchmarks with their results, without those of `--against`.
pub(super) fn named_slots<'a>(
    home: &Path,
    benchmarks: &'a [StoredBenchmark],
) -> impl Iterator<Item = (&'a StoredBenchmark, Vec<Slot>)> {
    let kept = kept_baselines(home);
    benchmarks.iter().map(move |benchmark| {
        let slots = benchmark.slots().into_iter();
        (benchmark, slots.filter(|slot| !kept.contains(slot.name())).collect())
    })
}
