//! Errors of timing.

use std::io;
use std::process::ExitStatus;

/// A reason why a benchmark has no time.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TimeError {
    #[error(
        "the benchmark executable ended while it timed ({status})\nhelp: a benchmark executable of another version of \
         the library can't time"
    )]
    ServerEnded { status: ExitStatus },
    #[error(
        "the code of the file has started threads before this benchmark, and a process that has threads can't be copied\n\
         help: start them in the benchmark, or move it in front of them"
    )]
    HasThreads,
    #[error("can't start a process for the benchmark: {0}")]
    Fork(io::Error),
}
