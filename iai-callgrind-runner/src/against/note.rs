//! Notes about another revision.

use std::fmt;

use crate::error::Error;
use crate::note::print_line;

/// A note about another revision, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum RevisionNote<'a> {
    /// Cargo builds the benchmarks of another revision.
    Building { revision: &'a str },
    /// Cargo links both sides with another layout.
    Linking { layout: u32, number: u32 },
    /// The benchmarks are counted in another layout.
    CountingLayout { layout: u32, number: u32 },
    /// The benchmarks of another revision run.
    Measuring { revision: &'a str },
    /// The results of another revision are those of an earlier run.
    MeasuredBefore { revision: &'a str },
    /// A commit can't be measured.
    Skipped { revision: &'a str, reason: &'a Error },
    /// A commit was compared with the good one.
    Bisected { revision: &'a str, changed: usize, total: usize },
    /// The other revision does not have a benchmark file.
    NoFileInRevision { file: &'a str, revision: &'a str },
    /// Files of the other revision are pointers of Git LFS.
    LargeFilePointers { revision: &'a str, file: &'a str, number: usize },
}

impl RevisionNote<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

impl fmt::Display for RevisionNote<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Building { revision } => write!(formatter, "building {revision}"),
            Self::Linking { layout, number } => {
                write!(formatter, "linking layout {layout} of {number}")
            }
            Self::CountingLayout { layout, number } => {
                write!(formatter, "counting layout {layout} of {number}")
            }
            Self::Measuring { revision } => write!(formatter, "measuring {revision}"),
            Self::MeasuredBefore { revision } => {
                write!(formatter, "using the results of {revision}, measured before")
            }
            Self::Skipped { revision, reason } => {
                write!(formatter, "note: skipping {revision}: {reason}")
            }
            Self::Bisected { revision, changed: 0, .. } => {
                write!(formatter, "{revision}: no count changed")
            }
            Self::Bisected { revision, changed, total } => {
                write!(formatter, "{revision}: {changed} of {total} counts changed")
            }
            Self::NoFileInRevision { file, revision } => write!(
                formatter,
                "note: {revision} has no benchmark file `{file}`, so that all of its benchmarks are new\n\
                 help: --against-benches=here measures {revision} with the benchmark files of this side"
            ),
            Self::LargeFilePointers { revision, file, number } => write!(
                formatter,
                "note: in {revision}, `{file}` is a pointer of Git LFS and not the file itself ({number} of this kind)\n\
                 help: if benchmarks use it, install Git LFS, and make the file available with `git lfs fetch --all`"
            ),
        }
    }
}
