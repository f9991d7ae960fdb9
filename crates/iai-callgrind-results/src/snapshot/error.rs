//! Errors of snapshots. None shows a line of the file, which can come from another person.

use std::path::PathBuf;

/// A reason why a snapshot can't be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum SnapshotError {
    #[error(
        "{}:{line}: a merge conflict\nhelp: keep one line for each benchmark and metric, or write all lines again with \
         `--snapshot=accept`", path.display()
    )]
    Conflict { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: a second line for the same benchmark and metric\nhelp: remove one of them, or write all lines again \
         with `--snapshot=accept`", path.display()
    )]
    Twice { path: PathBuf, line: usize },
    #[error(
        "{}:{line}: not a count\nhelp: restore the line, or write all lines again with `--snapshot=accept`",
        path.display()
    )]
    Line { path: PathBuf, line: usize },
    #[error("{} is not a file of counts\nhelp: move it away", path.display())]
    Foreign { path: PathBuf },
    #[error("{} is larger than 16 MiB\nhelp: move it away", path.display())]
    TooLarge { path: PathBuf },
    #[error(
        "{} is a symbolic link\nhelp: replace it with the file that it leads to: snapshots are in the package itself", path.display()
    )]
    Link { path: PathBuf },
    #[error(
        "can't accept a part of {}: other surroundings counted its other benchmarks ({} differ)\nhelp: accept all benchmarks, \
         without filters and shards", path.display(), names.join(", ")
    )]
    OtherSurroundings { path: PathBuf, names: Vec<String> },
    #[error(
        "can't read {}: version {found} of the format is newer than this runner\nhelp: update iai-callgrind", path.display()
    )]
    Version { path: PathBuf, found: u32 },
}
