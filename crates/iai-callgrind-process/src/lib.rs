//! Child processes and temporary directories that do not outlive the run, even if it is killed.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod cancellation;
mod cleanup;
mod clock;
#[cfg(target_os = "linux")]
mod descriptors;
mod group;
mod guardian;
mod isolation;
mod kernel_files;
mod leader;
mod limit;
mod messages;
mod mounts;
#[cfg_attr(not(target_os = "linux"), path = "namespace/none.rs")]
mod namespace;
mod note;
mod orphans;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod real_time;
#[cfg(target_os = "linux")]
mod status;
mod stopped_calls;
mod stopwatch;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "system_calls/none.rs"
)]
mod system_calls;
mod temporary;
mod threads;
#[cfg_attr(not(target_os = "linux"), path = "waits/none.rs")]
mod waits;

use std::io;
use std::path::PathBuf;

use iai_callgrind_base::FileError;
use iai_callgrind_plan::streams::StreamError;

pub use self::cancellation::{interrupted, orphans, pause, watch};
pub use self::cleanup::{JOURNAL, STAGING, is_staging, journals};
pub use self::group::{ProcessGroup, RunningProcess, error_text, output};
pub use self::isolation::{Cpus, Isolation, NativeValue};
pub use self::limit::{Exceeded, Limit, LimitWatch, describe_running_threads, is_zombie};
pub use self::messages::{FOREIGN_MESSAGE, MessagePipe, Received};
pub use self::mounts::{Mount, Mounts};
pub use self::namespace::{FIRST_ID, Namespace};
pub use self::note::{Unordered, note_unordered};
pub use self::orphans::{Orphan, is_descendant, is_stranger};
pub use self::stopped_calls::{StoppedCalls, ThreadOrder};
pub use self::stopwatch::{ProcessTime, Stopwatch};
pub use self::system_calls::{
    FixedSystemCalls, SystemCallAnswers, can_stop_calls, hide_auxiliary_vector, is_only_cpu,
};
pub use self::temporary::TemporaryDirectory;
pub use self::threads::{spawn, spawn_scoped};

/// The help for a process or thread that can't start.
const MORE_PROCESSES: &str = "help: raise the limits of processes (`ulimit -u`) and of memory (`ulimit -v`), or run \
                              fewer benchmarks at once with --parallel=1";

/// A reason why a process or a thread can't run.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ProcessError {
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
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{}", .0.limit())]
    Exceeded(Exceeded),
    #[error("interrupted by {}", signal_name(*.signal))]
    Interrupted { signal: i32 },
}

/// The result of an operation of this crate that can fail.
pub type Result<T, E = ProcessError> = std::result::Result<T, E>;

/// Returns the name of a signal.
pub fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}
