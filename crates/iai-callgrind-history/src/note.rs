//! Notes about the history.

use iai_callgrind_base::{
    help_line,
    note::{counted, print_line},
};

use super::error::HistoryError;

/// A note about the history, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HistoryNote<'a> {
    /// Results were added to the note of a commit.
    #[error(
        "recorded {} in the note of {commit}, which has {}",
        counted(*results, "result"),
        counted(*bytes, "byte")
    )]
    Recorded { results: usize, commit: &'a str, bytes: usize },
    /// Some results belong to no commit.
    #[error("note: {error}")]
    LeftOut { error: &'a HistoryError },
    /// The notes were pushed.
    #[error("pushed the notes to {remote}")]
    Pushed { remote: &'a str },
    /// Commits before changes were not recorded. The command fills them in.
    #[error(
        "note: {} before changes {} not recorded and can be their cause{}",
        counted(*commits, "commit"),
        if *commits == 1 { "is" } else { "are" },
        help_line(command.map(|command| format!("measure and record them with `{command}`")).as_deref())
    )]
    NotRecorded { commits: usize, command: Option<&'a str> },
    /// There are no recorded commits to learn limits from.
    #[error(
        "note: --limit=auto has no effect: there are no recorded results of commits\n\
         help: add results with `--record`, or fetch them: \
         `git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind`"
    )]
    NothingToLearn,
    /// The noise of benchmarks is not known yet.
    #[error(
        "note: --limit=auto has no effect on {benchmarks} of {all} benchmarks: the recorded history is too short\n\
         help: record at least {} more that leave their code as it is, or fetch the whole history",
        counted(*missing, "commit")
    )]
    TooShortHistory { benchmarks: usize, all: usize, missing: usize },
    /// A note has lines of another program, or damaged ones.
    #[error(
        "note: {} in the note of {commit} can't be read, and {} left out",
        counted(*lines, "line"),
        if *lines == 1 { "is" } else { "are" }
    )]
    ForeignLines { commit: &'a str, lines: usize },
    /// Two writers recorded different values of the same result.
    #[error(
        "note: {name} was recorded with different values at {commit}, in the same environment\n\
         help: find the reason: its counts change from run to run, or one writer had another work tree"
    )]
    Contradiction { commit: &'a str, name: &'a str },
}

impl HistoryNote<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}
