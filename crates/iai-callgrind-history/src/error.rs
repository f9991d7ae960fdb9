//! The errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::one_line;
use iai_callgrind_base::invocation::command_line;
use iai_callgrind_process::ProcessError;
use iai_callgrind_revisions::GitError;
use iai_callgrind_store::SelectionError;

use super::notes::NOTES;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why the history can't be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// Git can't be started, or the run is interrupted.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// A commit or a repository can't be found.
    #[error("{0}")]
    Revisions(#[from] iai_callgrind_revisions::Error),
    /// The results can't be read.
    #[error("{0}")]
    Store(#[from] iai_callgrind_store::Error),
    /// The results can't be recorded or shown.
    #[error("{0}")]
    History(#[from] HistoryError),
    /// Several results can't be recorded, each for another reason. The caller joins them.
    #[error("{self:?}")]
    Several(Vec<HistoryError>),
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        Self::Revisions(error.into())
    }
}

impl From<SelectionError> for Error {
    fn from(error: SelectionError) -> Self {
        Self::Store(error.into())
    }
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}

/// A reason why results can't be recorded, or the history can't be shown or searched.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum HistoryError {
    #[error(
        "no recorded commit has the metric `{metric}` of a selected benchmark\nhelp: record results with \
         `{command}`, or fetch them with `git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind`"
    )]
    NoHistory { metric: &'static str, command: String },
    #[error(
        "no recorded benchmark matches {}\nhelp: {}", quoted(.filters), nearest_names(.nearest)
    )]
    NoRecordedBenchmark { filters: Vec<String>, nearest: Vec<String> },
    #[error("can't record {}: {reason}", first(.benchmarks, benchmarks.len()))]
    NotRecorded { benchmarks: Vec<String>, reason: NoCommit },
    #[error(
        "can't push the notes: there is no remote repository `{remote}`\nhelp: {}, and record again",
        other_remote(.remote, .remotes)
    )]
    NoRemote { remote: String, remotes: Vec<String> },
    #[error(
        "can't read the note of {commit}: {}\nhelp: fetch the notes with `git fetch origin {NOTES}:{NOTES}`, or \
         remove this one with `git notes --ref=iai-callgrind remove {commit}`", one_line(.reason)
    )]
    UnreadableNote { commit: String, reason: String },
    #[error(
        "can't read the recorded results: {}\nhelp: {} and fetch the notes with `git fetch origin {NOTES}:{NOTES}`",
        one_line(.reason), removal(.file.as_deref())
    )]
    UnreadableNotes { reason: String, file: Option<PathBuf> },
    #[error(
        "can't measure {revision}: it does not build, or it has none of the benchmarks{}",
        selected_by(filters)
    )]
    NotMeasured { revision: String, filters: Vec<String> },
    #[error("no count changed between {good} and {bad}")]
    NoChange { good: String, bad: String },
    #[error(
        "can't search for changes of `{name}`: it is not a single metric\nhelp: name one, such as `ir`"
    )]
    SeveralMetrics { name: String },
}

/// Returns the words after benchmarks that these filters select.
fn selected_by(filters: &[String]) -> String {
    match filters {
        [] => String::new(),
        filters => format!(" that match `{}`", filters.join("` or `")),
    }
}

/// A reason why results belong to no commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum NoCommit {
    #[error(
        "measured at {commit} with changes that are not in it: {}\nhelp: commit them and run the benchmarks again, or \
         mark the results with `{}`",
        first(.files, *.number), command_line("record --allow-dirty")
    )]
    Changes { commit: String, files: Vec<String>, number: usize },
    #[error(
        "the commit that was measured is not known\nhelp: run the benchmarks again in a git work tree, where `git` is in \
         PATH"
    )]
    Unknown,
    #[error(
        "measured at {commit}, which is not in this repository\nhelp: fetch the commit, or run the benchmarks again"
    )]
    Missing { commit: String },
    #[error("{error}")]
    Unreadable { error: String },
}

/// Returns the help for the reference of the notes, whose file git can't remove if its content is not an id.
fn removal(file: Option<&Path>) -> String {
    match file {
        Some(file) => format!("remove {}", file.display()),
        None => format!("remove them with `git update-ref -d {NOTES}`"),
    }
}

/// Writes texts in backticks.
fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the help for a name that nothing has.
fn nearest_names(names: &[String]) -> String {
    if names.is_empty() {
        format!(
            "`{}` without a filter shows all; a range of commits is `A..B`",
            command_line("history")
        )
    } else {
        format!("similar names are {}", quoted(names))
    }
}

/// Returns the help for a remote repository that has another name or no name yet.
fn other_remote(remote: &str, remotes: &[String]) -> String {
    if remotes.is_empty() {
        format!("add it with `git remote add {remote} URL`")
    } else {
        format!("name one with --remote, such as {}", quoted(remotes))
    }
}

/// Lists the first of this number of files or benchmarks.
fn first(names: &[String], number: usize) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| one_line(name)).collect();
    let more = number.saturating_sub(shown.len());
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
