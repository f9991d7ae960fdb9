//! Notes about times.

use iai_callgrind_base::note::print_line;

/// A note about times, in the words that the user reads.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum TimeNote<'a> {
    /// An option is about times, and nothing is timed.
    #[error("note: {option} has no effect without --time")]
    UnusedOption { option: &'a str },
    /// A limit is about a change, and a single side has none.
    #[error(
        "note: --time-limit has no effect: it needs two sides (--time --against=REV, or --baseline)"
    )]
    LimitOfOneSide,
    /// An option is about counts, and nothing is counted.
    #[error(
        "note: --{option} has no effect: it needs counts, and --time counts only with --against"
    )]
    NotCounted { option: &'a str },
    /// Layouts are asked for, and there is nothing to learn from them.
    #[error(
        "note: --time-layouts has no effect: it needs the times of two sides (--time --against=REV) or learned \
         limits (--limit=auto)"
    )]
    UnusedLayouts,
    /// Times of different runs are shown next to each other.
    #[error(
        "warning: times of different runs differ by several percent without a change of the code: by the clock \
         rate, other work of the machine and addresses\nhelp: compare both sides at once with `--time --against=REV`"
    )]
    OfRuns,
    /// There are no times of another run.
    #[error("note: no stored times: these are the first")]
    NoStored,
}

impl TimeNote<'_> {
    /// Prints the note.
    pub fn print(&self) {
        print_line(self);
    }
}
