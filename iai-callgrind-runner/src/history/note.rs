//! Notes about the history in git.

use std::fmt;

use crate::note::{counted, print_line};

/// A note about the history, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum HistoryNote<'a> {
    /// Results were added to the note of a commit.
    Recorded { results: usize, commit: &'a str, bytes: usize },
    /// The notes were pushed.
    Pushed { remote: &'a str },
    /// Commits before changes were not recorded. The command fills them in.
    NotRecorded { commits: usize, command: Option<&'a str> },
    /// There are no recorded commits to learn limits from.
    NothingToLearn,
    /// The noise of benchmarks is not known yet.
    TooShortHistory { benchmarks: usize, all: usize, missing: usize },
    /// A note has lines of another program, or damaged ones.
    ForeignLines { commit: &'a str, lines: usize },
    /// Two writers recorded different values of the same result.
    Contradiction { commit: &'a str, name: &'a str },
}

impl HistoryNote<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

impl fmt::Display for HistoryNote<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded { results, commit, bytes } => {
                let results = counted(*results, "result");
                write!(
                    formatter,
                    "recorded {results} in the note of {commit}, which has {bytes} bytes"
                )
            }
            Self::Pushed { remote } => write!(formatter, "pushed the notes to {remote}"),
            Self::NotRecorded { commits, command } => {
                let verb = if *commits == 1 { "is" } else { "are" };
                let commits = counted(*commits, "commit");
                write!(
                    formatter,
                    "note: {commits} before changes {verb} not recorded, so that a change can come from there"
                )?;
                command.map_or(Ok(()), |command| {
                    write!(formatter, "\nhelp: measure and record them with `{command}`")
                })
            }
            Self::NothingToLearn => formatter.write_str(
                "note: --limit=auto has no effect: there are no recorded results of commits\n\
                 help: add results with `--record`, or fetch them: \
                 `git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind`",
            ),
            Self::TooShortHistory { benchmarks, all, missing } => {
                let commits = counted(*missing, "commit");
                write!(
                    formatter,
                    "note: --limit=auto has no effect on {benchmarks} of {all} benchmarks: the recorded history is \
                     too short\n\
                     help: record at least {commits} more that leave their code as it is, or fetch the whole history"
                )
            }
            Self::ForeignLines { commit, lines } => {
                let lines = counted(*lines, "line");
                write!(
                    formatter,
                    "note: without {lines} in the note of {commit}, which can't be read"
                )
            }
            Self::Contradiction { commit, name } => write!(
                formatter,
                "note: {name} was recorded with different values at {commit}, in the same environment\n\
                 help: find the reason: its counts change from run to run, or one writer had another work tree"
            ),
        }
    }
}
