//! Errors of processes, threads and their limits.

use std::io;
use std::path::PathBuf;

use iai_callgrind_plan::streams::StreamError;

/// The help for a process or thread that can't start.
const MORE_PROCESSES: &str = "help: raise the limits of processes (`ulimit -u`) and of memory (`ulimit -v`), or run \
                              fewer benchmarks at once with --parallel=1";

/// A reason why a process or a thread can't run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProcessError {
    #[error("can't run {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error(
        "can't run {}: {source}\nhelp: if TMPDIR is mounted with `noexec`, set it to another directory",
        program.display()
    )]
    StartCopy { program: PathBuf, source: io::Error },
    #[error("can't start a thread: {0}\n{MORE_PROCESSES}")]
    Thread(io::Error),
    #[error("can't start a process for the benchmarks: {0}\n{MORE_PROCESSES}")]
    Fork(io::Error),
    #[error(
        "can't open a connection to the processes of a benchmark: {0}\nhelp: raise the limit of open files with \
         `ulimit -n`"
    )]
    Connection(io::Error),
    #[error(
        "can't run benchmarks: the limit of open files is {limit}\nhelp: raise it to at least {least} with \
         `ulimit -n {least}`"
    )]
    OpenFiles { limit: u64, least: u64 },
    #[error("{0}")]
    Streams(StreamError),
}
