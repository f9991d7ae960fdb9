//! The processes that a case started, and those that belong to its measured region.

use std::cmp::Ordering;
use std::fs;
use std::time::UNIX_EPOCH;

use iai_callgrind_plan::protocol::MeasuredRegion;
use iai_callgrind_process::{Orphan, orphans};

use super::Case;
use crate::error::Result;

impl Case<'_> {
    /// Kills the processes that the case started. Returns them, and the processes of the benchmark
    /// that their parents did not wait for. Such a process can have exited by chance, and its
    /// counts can be incomplete.
    pub(super) fn end_descendants(&self) -> Result<(Vec<i32>, Vec<i32>)> {
        let (mut orphaned, mut left) = (Vec::new(), Vec::new());
        let mut note = |orphan: &Orphan| {
            orphaned.push(orphan.id);
            if self.is_left(orphan) {
                left.push(orphan.id);
            }
        };
        let mut descendants = match &self.end.isolated {
            Some(isolated) => {
                isolated.left.iter().for_each(note);
                self.logs.descendants(self.end.id_in_files())?
            }
            None => loop {
                let descendants = self.logs.descendants(self.end.id_in_files())?;
                let orphans = orphans().into_iter();
                let mut ours =
                    orphans.filter(|orphan| self.started(orphan, &descendants)).peekable();
                if ours.peek().is_none() {
                    break descendants;
                }
                for orphan in ours {
                    note(&orphan);
                    orphan.end();
                }
            },
        };
        // The log of an orphan can name another parent
        descendants.extend(&orphaned);
        descendants.sort_unstable();
        descendants.dedup();
        Ok((descendants, left))
    }

    /// Returns `true` if the case started this process itself, according to the logs. Valgrind
    /// writes the parent to the log when the process first runs, and the parent can have exited
    /// before.
    fn started(&self, orphan: &Orphan, descendants: &[i32]) -> bool {
        let is_ours = |id: &i32| *id == self.end.id_in_files() || descendants.contains(id);
        let outputs = [(1, "stdout"), (2, "stderr")];
        is_ours(&orphan.id)
            || orphan.leaders.iter().any(is_ours)
            || outputs.into_iter().any(|(descriptor, stream)| {
                orphan
                    .output(descriptor)
                    .is_some_and(|output| output == self.captured().file(stream))
            })
    }

    /// Returns whether the benchmark function, not setup or teardown, started this process: its log was
    /// created while the function ran. If the file system does not record creation times, it counts.
    ///
    /// The clock ticks every few milliseconds. A case that has started processes waits for a tick at both ends of the region.
    ///
    /// All processes of a command belong to it.
    pub(super) fn is_within_region(&self, pid: i32) -> bool {
        self.place_in_region(pid).is_none_or(Ordering::is_eq)
    }

    /// Returns whether the benchmark function started this process, which its parent did not wait
    /// for. The process can first run, and create its log, after the function has returned.
    fn is_left(&self, orphan: &Orphan) -> bool {
        match self.place_in_region(orphan.id) {
            Some(Ordering::Less) => false,
            Some(Ordering::Equal) => true,
            Some(Ordering::Greater) | None => {
                let MeasuredRegion { end, end_lag, .. } = self.end.region.unwrap_or_default();
                // To the nanosecond: the process can have started in the tick in which the function
                // returned
                let end = end.saturating_add_signed(end_lag.into());
                self.command.is_some() || orphan.started_before(end)
            }
        }
    }

    /// Compares the time at which the log of a process was created with the measured region, if both are known.
    fn place_in_region(&self, pid: i32) -> Option<Ordering> {
        if self.command.is_some() {
            return Some(Ordering::Equal);
        }
        let Some(MeasuredRegion { begin, end, .. }) = self.end.region else {
            return Some(Ordering::Greater);
        };
        let log = fs::metadata(self.stem(pid).with_extension("log")).ok()?;
        let created = log.created().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(match created {
            created if created < u128::from(begin) => Ordering::Less,
            created if created < u128::from(end) => Ordering::Equal,
            _ => Ordering::Greater,
        })
    }
}
