//! Errors of timing.

use std::io;
use std::process::ExitStatus;

use iai_callgrind_process::{FOREIGN_MESSAGE, ProcessError};

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a benchmark can't be timed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The processes can't time it.
    #[error("{0}")]
    Time(#[from] TimeError),
    /// A process can't be started, exceeded its limit, or the run is interrupted.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// The walk through the file did not reach the benchmark. The caller formats the error.
    #[error("{self:?}")]
    NotReached {
        /// The file panicked before it.
        panicked: bool,
    },
    /// The process of the benchmark ended without a time. The caller has the words for it.
    #[error("{self:?}")]
    Ended(ExitStatus),
}

/// A reason why a benchmark has no time.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum TimeError {
    #[error(
        "the benchmark executable can't time: it ended at its start ({status})\nhelp: build it with this version of the \
         library, and check what its `main` does before the benchmarks"
    )]
    NoServer { status: ExitStatus },
    #[error(
        "the benchmark executable ended while it timed this benchmark ({status})\nhelp: check whether the benchmark \
         ends its parent process, or whether code between the benchmarks exits"
    )]
    ServerEnded { status: ExitStatus },
    #[error(
        "the code of the file has started threads before this benchmark, and a process that has threads can't be copied\n\
         help: start them in the benchmark, or move it in front of them"
    )]
    HasThreads,
    #[error("{FOREIGN_MESSAGE}")]
    ForeignMessage,
    #[error("can't start a process for the benchmark: {0}")]
    Fork(io::Error),
}
