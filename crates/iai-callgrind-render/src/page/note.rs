//! Notes about pages.

use std::path::Path;

use iai_callgrind_base::note::{counted, print_line};

/// A note, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageNote<'a> {
    /// Pages for a browser were written.
    #[error("wrote the pages of {}: {}", counted(*benchmarks, "benchmark"), start.display())]
    Written { start: &'a Path, benchmarks: usize },
}

impl PageNote<'_> {
    /// Prints the note.
    pub(super) fn print(&self) {
        print_line(self);
    }
}
