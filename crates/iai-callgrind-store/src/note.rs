//! Notes about directories of results, with their texts.

use std::error::Error;
use std::path::Path;

use iai_callgrind_base::note::print_line;

/// A note, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Note<'a> {
    /// Another run has the lock of the output directory.
    #[error("waiting for another run that uses {}", directory.display())]
    Waiting { directory: &'a Path },
    /// A run was killed while it replaced results.
    #[error(
        "note: a run was killed while it replaced results, some of which can be missing or new: {}\n\
         help: the next run of these benchmarks that can write there restores them", journal.display()
    )]
    HalfWritten { journal: &'a Path },
    /// A run uses a directory of results, and other directories are available.
    #[error("note: the results in {} are left out, because a run is changing them", directory.display())]
    LeftOut { directory: &'a Path },
    /// An import goes without results.
    #[error("note: imported without {}", results.join(", "))]
    Missing { results: &'a [String] },
    /// A directory of results has a journal that the next run refuses.
    #[error(
        "note: your next run refuses these results: can't undo the renames of a killed run: {}: {reason}\n\
         help: choose another directory with --home, or remove the directory {} if it has no results that \
         you need", journal.display(), journal.parent().unwrap_or(journal).display()
    )]
    ForeignJournal { journal: &'a Path, reason: &'a dyn Error },
}

impl Note<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}
