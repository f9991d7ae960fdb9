//! The checks of the results of a run: its snapshot, and the conditions of the user.

pub(crate) mod error;

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_render::report::{SnapshotReport, Tally, print_snapshot};
use iai_callgrind_results::snapshot::{Part, Snapshot};

use self::error::CheckError;
use crate::error::Result;
use crate::note::Note;

/// Returns an error if the results of a run do not meet a condition that the user set.
///
/// # Errors
///
/// See [`CheckError`].
pub(crate) fn check(settings: &Settings, tally: &Tally) -> Result<()> {
    if settings.checks.strict_environment {
        check_environment(tally)?;
    }
    Ok(())
}

/// Returns an error if old results are, or can be, from another build or machine.
fn check_environment(tally: &Tally) -> Result<()> {
    if !tally.environment.is_empty() {
        let changes = tally.environment.iter().cloned().collect();
        return Err(CheckError::EnvironmentDiffers { changes }.into());
    }
    match tally.unknown_environments {
        0 => Ok(()),
        number => Err(CheckError::EnvironmentUnknown { number }.into()),
    }
}

/// Reads the snapshot of the benchmark file, if the user wants it.
pub(crate) fn read_snapshot(
    settings: &Settings,
    package: &Path,
    file: &str,
) -> Result<Option<Snapshot>> {
    let Some((snapshot, build)) = settings.snapshot.zip(settings.build.as_ref()) else {
        return Ok(None);
    };
    let is_replaced = snapshot.accept && settings.selects_all();
    Ok(Some(Snapshot::read(package, file, &build.target, is_replaced)?))
}

/// Compares the counts of a run with a snapshot, or writes the snapshot. Returns `true` if the
/// differences must fail the run.
pub(crate) fn compare_snapshot(
    snapshot: &Snapshot,
    settings: &Settings,
    tally: &Tally,
) -> Result<bool> {
    let Some((wanted, counts)) = settings.snapshot.zip(tally.counts.as_ref()) else {
        return Ok(false);
    };
    let has_all = tally.finished == tally.selected && tally.failed + tally.hooks_failed == 0;
    let part = if has_all && settings.selects_all() { Part::All } else { Part::Some };
    let print =
        |report: &SnapshotReport<'_>| print_snapshot(&snapshot.path, &snapshot.file, report);
    if wanted.accept {
        if has_all {
            snapshot.accept(counts, part)?;
        }
        print(if has_all { &SnapshotReport::Accepted } else { &SnapshotReport::Refused });
        return Ok(false);
    }
    let Some(differences) = snapshot.compare(counts, part) else {
        print(&SnapshotReport::Missing);
        return Ok(wanted.is_ci);
    };
    print(&SnapshotReport::Compared(&differences));
    Ok(wanted.is_ci && !differences.beyond.is_empty())
}

/// Prints a note for each limited counter that no benchmark reported, and for allocations that no profile has, because the limit
/// would seem to be met.
pub(crate) fn note_limits_without_effect(tally: &Tally) {
    let unknown = |limited: &BTreeMap<&'static str, bool>| -> Vec<&'static str> {
        limited.iter().filter(|(_, is_known)| !**is_known).map(|(name, _)| *name).collect()
    };
    for counter in unknown(&tally.limited_counters) {
        Note::UnusedCounterLimit { counter }.print();
    }
    for metric in unknown(&tally.limited_allocations) {
        Note::UnknownAllocations { metric }.print();
    }
}
