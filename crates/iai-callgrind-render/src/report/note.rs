//! Notes about the benchmarks of a run.

use std::time::Duration;

use iai_callgrind_base::note::print_line;

/// A note, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(super) enum Note<'a> {
    /// The count of the same code differs from an older run, or from another one of this run, and
    /// the code asks the machine for values that no run fixes.
    #[error("note: {title}: {values}: its count can vary")]
    Varies { title: &'a str, values: &'a str },
    /// A run goes on without a terminal that shows its progress.
    #[error("running: {done} of {all} done after {} s", elapsed.as_secs())]
    Progress { done: u64, all: u64, elapsed: Duration },
    /// A benchmark takes long.
    #[error("slow: {title} has been running for {} s", elapsed.as_secs())]
    Slow { title: &'a str, elapsed: Duration },
}

impl Note<'_> {
    /// Prints the note.
    pub(super) fn print(&self) {
        print_line(self);
    }
}
