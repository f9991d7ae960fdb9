//! Reasons why a file is not one that a tool or the runner wrote.

use iai_callgrind_plan::metric::AddError;
use iai_callgrind_profile::Malformed;

/// The reason why a line, or the file that ends with it, is not one of a tool or of the runner. Texts of the file are
/// quoted.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum MalformedFile {
    #[error(transparent)]
    Profile(#[from] Malformed),
    /// The counts of processes can't be added.
    #[error(transparent)]
    NotAddable(#[from] AddError),
    #[error(transparent)]
    Json(serde_json::Error),
    /// The error of the parser, without the line.
    #[error("{0}")]
    Dhat(String),
    #[error("{complaint}")]
    OtherJson { complaint: &'static str, source: serde_json::Error },
    #[error("these are not the ids of a commit")]
    NotCommit,
    #[error("these are not the counters of a benchmark")]
    NotCounters,
    #[error("not a record of shards")]
    NotShards,
    #[error("there is no line of Valgrind's in it")]
    NoValgrindLine,
    #[error("there is no `ERROR SUMMARY` before this line")]
    NoErrorSummary,
    #[error("there is no `LEAK SUMMARY` after this line")]
    NoLeakSummary,
    #[error("{line} does not contain the {label}")]
    NoLeaks { line: String, label: &'static str },
    #[error("there are logs of {logs} processes here, and {files} files of them")]
    OtherProcesses { logs: usize, files: usize },
    #[error("this is not a number")]
    NotANumber,
    #[error("there are {found} lines with `{label}` for {threads} threads")]
    OtherThreads { found: usize, label: &'static str, threads: usize },
    #[error("its sizes exceed 64 bits")]
    SizesTooLarge,
    #[error("{0} is not a size")]
    NotASize(String),
    #[error("it ends before a line with `{0}`")]
    EndsBefore(&'static str),
    #[error("{line} does not start with `{start}`")]
    OtherStart { line: String, start: &'static str },
    #[error("the tree {0} is not known")]
    UnknownTree(String),
    #[error("{0} is not a line of a tree")]
    NotInTree(String),
    #[error("it ends before its summary")]
    NoSummary,
    #[error("the file goes on after its summary")]
    AfterSummary,
    #[error("the summary is not the sum of the lines above")]
    OtherSummary,
    #[error("the sum of an event exceeds 64 bits")]
    SumTooLarge,
    #[error("{0} is not known")]
    UnknownLine(String),
}
