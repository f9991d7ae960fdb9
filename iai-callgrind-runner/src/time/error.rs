//! Errors of timing.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::failure::FOREIGN_MESSAGE;

/// A reason why a benchmark has no time.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TimeError {
    #[error(
        "the benchmark executable can't time: it ended at its start ({status})\nhelp: build it with this version of the \
         library, and check what its `main` does before the benchmarks"
    )]
    NoServer { status: ExitStatus },
    #[error(
        "the benchmark executable ended while it timed this benchmark ({status})\nhelp: check whether the benchmark \
         ends its parent process, or code between the benchmarks its own one"
    )]
    ServerEnded { status: ExitStatus },
    #[error(
        "the code of the file has started threads before this benchmark, and a process that has threads can't be copied\n\
         help: start them in the benchmark, or move it in front of them"
    )]
    HasThreads,
    #[error(
        "the baseline `{baseline}` keeps no executable of {package}::{file} that this version can start\nhelp: save it \
         with `--time --save-baseline={baseline}` where the old code is checked out, or compare with `--against`"
    )]
    NoExecutable { baseline: String, package: String, file: String },
    #[error("{FOREIGN_MESSAGE}")]
    ForeignMessage,
    #[error(
        "can't start the executable that the baseline keeps: {} is damaged\nhelp: save the baseline again with `--time \
         --save-baseline` where the old code is checked out", path.display()
    )]
    DamagedExecutable { path: PathBuf },
    #[error(
        "can't start the executable that the baseline keeps: {} was saved by an older version\nhelp: save the baseline \
         again with `--time --save-baseline` where the old code is checked out", path.display()
    )]
    NoHash { path: PathBuf },
    #[error("can't start a process for the benchmark: {0}")]
    Fork(io::Error),
}
