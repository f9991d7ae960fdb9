//! Notes about other revisions.

use iai_callgrind_base::{note::print_line, numbers::grouped};

use super::error::Error;

/// A note about another revision, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum RevisionNote<'a> {
    /// Cargo builds the benchmarks of another revision.
    #[error("building {revision}")]
    Building { revision: &'a str },
    /// Cargo links both sides with another layout.
    #[error("linking layout {layout} of {number}")]
    Linking { layout: u32, number: u32 },
    /// The benchmarks are counted in another layout.
    #[error("counting layout {layout} of {number}")]
    CountingLayout { layout: u32, number: u32 },
    /// The benchmarks of another revision run.
    #[error("measuring {revision}")]
    Measuring { revision: &'a str },
    /// The results of another revision come from an earlier run.
    #[error("using the results of {revision}, measured before")]
    MeasuredBefore { revision: &'a str },
    /// A commit can't be measured.
    #[error("note: skipping {revision}: {reason}")]
    Skipped { revision: &'a str, reason: &'a Error },
    /// A commit was compared with the good one.
    #[error("{revision}: {}", changes(*changed, *total))]
    Bisected { revision: &'a str, changed: usize, total: usize },
    /// The other revision has other features.
    #[error("note: {revision} was built with other features: {changes}")]
    OtherFeatures { revision: &'a str, changes: &'a str },
    /// The other revision does not have a benchmark file.
    #[error(
        "note: {revision} has no benchmark file `{file}`, so that all of its benchmarks are new\n\
         help: --against-benches=here measures {revision} with the benchmark files of this side"
    )]
    NoFileInRevision { file: &'a str, revision: &'a str },
    /// Files of the other revision are pointers of Git LFS.
    #[error(
        "note: in {revision}, `{file}` is a pointer of Git LFS and not the file itself ({number} of this kind)\n\
         help: if benchmarks use it, install Git LFS, and make the file available with `git lfs fetch --all`"
    )]
    LargeFilePointers { revision: &'a str, file: &'a str, number: usize },
}

impl RevisionNote<'_> {
    /// Prints the note.
    pub fn print(&self) {
        print_line(self);
    }
}

/// Returns the number of counts that changed: `no count changed`, `2 of 3 counts changed`.
fn changes(changed: usize, total: usize) -> String {
    match changed {
        0 => "no count changed".to_owned(),
        changed => {
            format!("{} of {} counts changed", grouped(changed as u64), grouped(total as u64))
        }
    }
}
