//! The errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

use iai_callgrind_base::FileError;
use iai_callgrind_base::invocation::command_line;
use iai_callgrind_base::note::counted;
use iai_callgrind_plan::VERSION;
use iai_callgrind_process::ProcessError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why results can't be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// The run is interrupted.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// The directory can't be used.
    #[error("{0}")]
    Output(#[from] OutputError),
    /// No stored benchmark is selected.
    #[error("{0}")]
    Selection(#[from] SelectionError),
    /// A baseline can't be exported or imported.
    #[error("{0}")]
    Exchange(#[from] ExchangeError),
    /// The files of a tool can't be read.
    #[error("{0}")]
    Tools(#[from] iai_callgrind_tools::Error),
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }

    /// Adds a help to the error of a result that can't be read.
    pub(crate) fn of_result(self) -> Self {
        match self {
            Self::File(FileError::Io { path, source, .. })
            | Self::Tools(iai_callgrind_tools::Error::File(FileError::Io {
                path, source, ..
            })) => FileError::NoResult { path, source }.into(),
            other => other,
        }
    }
}

/// A reason why results can't be stored, or a place that the runner must not use.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum OutputError {
    #[error(
        "can't write results to {}: not a directory\nhelp: remove it or choose another directory with --home",
        path.display()
    )]
    NotADirectory { path: PathBuf },
    #[error(
        "can't use {}: it belongs to another user\nhelp: choose a directory of your own with --home, or remove it", path.display()
    )]
    OtherOwner { path: PathBuf },
    #[error(
        "can't write to {}: a symbolic link below the output directory\nhelp: remove the link or choose another \
         directory, with --home for results", path.display()
    )]
    LinkBelow { path: PathBuf },
    #[error(
        "can't write to {}: it belongs to {owner}\nhelp: choose another directory, with --home for results, or take \
         this one over with `sudo chown -R {user} {}`", path.display(), home.display()
    )]
    ForeignDirectory { path: PathBuf, owner: String, home: PathBuf, user: String },
    #[error(
        "can't undo the renames of a killed run: {}: {source}\nhelp: choose another directory with --home, or remove \
         the directory {} if it has no results that you need",
        journal.display(), journal.parent().unwrap_or(journal).display()
    )]
    ForeignJournal { journal: PathBuf, source: JournalError },
    #[error("can't write results to {}: {source}\nhelp: remove it or choose another directory with --home",
        directory.display())]
    Unreplaceable { directory: PathBuf, source: JournalError },
    #[error(
        "can't use the results in {}: format {found}, but iai-callgrind-runner {VERSION} uses format \
         \"{readable}\"\nhelp: use the runner that wrote them or choose another directory with --home",
        home.display()
    )]
    ResultsVersion { home: PathBuf, found: String, readable: u32 },
    #[error(
        "can't use `{name}` as the name of a baseline\nhelp: use up to 64 letters, digits, `-`, `_` and `.`, \
         without a `.` at the start; to compare with a commit, run the benchmarks with --against"
    )]
    BaselineName { name: String },
    #[error(
        "can't read the time in {}: it is damaged\nhelp: remove it, and measure the time again with --time",
        path.display()
    )]
    DamagedTime { path: PathBuf },
}

/// A reason why no stored benchmark is selected.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum SelectionError {
    #[error("no results in {}", home.display())]
    NoResults { home: PathBuf },
    #[error(
        "no results match the filter in {}\nhelp: `{}` without a filter shows the names",
        home.display(), command_line("list")
    )]
    NoMatch { home: PathBuf },
    #[error(
        "no results in {}: no such directory\nhelp: run the benchmarks first or choose another directory with \
         --home", home.display()
    )]
    NoHome { home: PathBuf },
    #[error(
        "no benchmark has a result `{name}`\nhelp: {}`{}` shows the results of each benchmark",
        before_list(name, similar.as_deref()), command_line("list")
    )]
    NoSuchResult { name: String, similar: Option<String> },
    #[error(
        "no benchmark has a result `{name}`\nhelp: to select benchmarks, write `--filter={name}`"
    )]
    NameOfBenchmark { name: String },
}

/// A reason why a baseline can't be exported or imported.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ExchangeError {
    #[error("can't write {}: the file exists\nhelp: overwrite it with --force", path.display())]
    FileExists { path: PathBuf },
    #[error("can't write {}: not a file\nhelp: name a new file", path.display())]
    NotAFile { path: PathBuf },
    #[error(
        "can't import the baseline `{name}`: {} in {} {} it\nhelp: overwrite it with --force",
        counted(*benchmarks, "benchmark"),
        home.display(),
        if *benchmarks == 1 { "has" } else { "have" }
    )]
    BaselineExists { name: String, benchmarks: usize, home: PathBuf },
    #[error("can't import {}: {source}\nnote: nothing was imported", path.display())]
    InvalidArchive { path: PathBuf, source: ArchiveError },
    #[error(
        "can't import {}: it has another result of {benchmark} under {tool} than {}\nnote: nothing was imported",
        second.display(), first.display()
    )]
    ConflictingResults { benchmark: String, tool: &'static str, first: PathBuf, second: PathBuf },
    #[error(
        "can't import {}: it has results of all benchmarks of {file}, but {} those of a shard\nnote: nothing was \
         imported", whole.display(), shard.display()
    )]
    NotAShard { file: String, whole: PathBuf, shard: PathBuf },
    #[error(
        "can't import {} with {}: they divide the benchmarks of {file} differently\nhelp: run all shards with the \
         same filters, and with the same baseline to compare with", second.display(), first.display()
    )]
    OtherPartition { file: String, first: PathBuf, second: PathBuf },
    #[error(
        "can't import the baseline `{name}` without {}\nhelp: name the archives of all shards, or import without \
         them with --allow-missing", missing.join(", ")
    )]
    MissingShards { name: String, missing: Vec<String> },
}

/// The cause of a failed import.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ArchiveError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("invalid manifest: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the archive does not start with a manifest")]
    NoManifest,
    #[error("version {found}, but iai-callgrind-runner {VERSION} reads version {readable}")]
    Version { found: u32, readable: u32 },
    #[error("unpacked size too large for an archive of {size} bytes")]
    TooLarge { size: u64 },
    #[error("the content is larger than listed in the manifest")]
    LargerThanListed,
    #[error("{path} is not a file of a baseline")]
    ForeignFile { path: String },
    #[error("invalid record of the shards of {file}")]
    Shards { file: String },
    #[error("`{path}` is missing")]
    Missing { path: String },
    #[error("`{path}` has a different checksum")]
    Checksum { path: String },
    #[error("the manifest does not list all files")]
    Unlisted,
    #[error("{} is a directory", path.display())]
    Directory { path: PathBuf },
}

/// A reason why the runner has not written a journal of renames for this directory.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum JournalError {
    #[error("it belongs to {owner}")]
    Owner { owner: String },
    #[error("all users can write to it")]
    Shared,
    #[error("it is not a file in a directory")]
    NotAFile,
    #[error("it is truncated")]
    Truncated,
    #[error("it is larger than 256 MiB")]
    TooLarge,
    #[error("{path:?} is not a path of a result or in its directory")]
    Path { path: PathBuf },
    #[error("it renames {from:?} to {to:?}, which no run does")]
    Rename { from: PathBuf, to: PathBuf },
    #[error("{path:?} is neither a regular file nor missing, or a symbolic link leads there")]
    Kind { path: PathBuf },
    #[error("{path:?} is not as a killed run leaves it")]
    State { path: PathBuf },
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl JournalError {
    /// Returns the error for a path that no run renames.
    pub fn path(path: &Path) -> Self {
        Self::Path { path: path.to_owned() }
    }
}

/// Returns the start of the help to a missing result: a similar name, or how to save a baseline.
fn before_list(name: &str, similar: Option<&str>) -> String {
    match similar {
        Some(question) => format!("{question} "),
        // The last run and the one before
        None if name.starts_with('@') => String::new(),
        None => format!("save one with --save-baseline={name}; "),
    }
}
