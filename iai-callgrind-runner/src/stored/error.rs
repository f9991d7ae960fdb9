//! Errors of stored results: their selection, and archives of them.

use std::io;
use std::path::PathBuf;

use iai_callgrind_plan::VERSION;

/// A reason why stored results can't be shown, exported or imported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoredError {
    #[error("can't write {}: the file exists\nhelp: overwrite it with --force", path.display())]
    FileExists { path: PathBuf },
    #[error("can't write {}: not a file\nhelp: name a new file", path.display())]
    NotAFile { path: PathBuf },
    #[error(
        "can't import the baseline `{name}`: {} exists\nhelp: overwrite it with --force", path.display()
    )]
    BaselineExists { name: String, path: PathBuf },
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
    #[error(
        "can't find the target directory: `cargo metadata` failed\nhelp: run this command in a package or \
         choose the directory of the results with --home"
    )]
    NoTargetDirectory,
    #[error("the result has no event `{name}`\nhelp: use one of {known}")]
    NoEvent { name: String, known: String },
    #[error(
        "can't check limits in summaries of runs, which have checked their own\nhelp: check stored results, without \
         files as arguments"
    )]
    LimitsOfFiles,
}

/// The cause of a failed import.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
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
