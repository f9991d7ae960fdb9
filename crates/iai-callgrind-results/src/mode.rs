//! The results that a command reads and writes.

use iai_callgrind_store::Slot;

/// The sources and the destination of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mode {
    /// Runs the benchmarks. Otherwise the new results are loaded from `new`.
    pub run: bool,
    /// The slot of the new results.
    pub new: Slot,
    /// Slot of the old results. If it is also the slot of the new results, its contents before the
    /// run count.
    pub old: Slot,
}

impl Mode {
    /// Returns the slot of the old results after the run; `None` if the new ones have replaced them.
    pub fn old_after_run(&self) -> Option<&Slot> {
        match &self.old {
            Slot::Latest if self.run && self.new == Slot::Latest => Some(&Slot::Old),
            old => Some(old).filter(|old| !self.run || **old != self.new),
        }
    }
}
