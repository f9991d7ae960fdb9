//! Child processes and temporary directories that do not outlive the run, even if it is killed.

mod cancellation;
mod cleanup;
mod clock;
#[cfg(target_os = "linux")]
mod descriptors;
mod group;
mod guardian;
mod leader;
mod limit;
mod messages;
mod mounts;
#[cfg_attr(not(target_os = "linux"), path = "process/namespace/none.rs")]
mod namespace;
mod orphans;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod real_time;
#[cfg(target_os = "linux")]
mod status;
mod stopwatch;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "process/system_calls/none.rs"
)]
mod system_calls;
mod temporary;
mod threads;
#[cfg_attr(not(target_os = "linux"), path = "process/waits/none.rs")]
mod waits;

use std::io;
use std::path::PathBuf;

use iai_callgrind_plan::streams::StreamError;

pub(crate) use self::cancellation::{interrupted, orphans, pause, watch};
pub(crate) use self::cleanup::{JOURNAL, STAGING, is_staging, journals};
pub(crate) use self::group::{ProcessGroup, RunningProcess, output};
pub(crate) use self::limit::{Exceeded, Limit, Watch, describe_running_threads, is_zombie};
pub(crate) use self::messages::{MessagePipe, Received};
pub(crate) use self::mounts::{Mount, Mounts};
pub(crate) use self::namespace::{FIRST_ID, Namespace};
pub(crate) use self::orphans::{Orphan, is_descendant, is_stranger};
pub(crate) use self::stopwatch::{ProcessTime, Stopwatch};
pub(crate) use self::system_calls::{
    FixedSystemCalls, StoppedCalls, SystemCallAnswers, ThreadOrder, can_stop_calls,
    hide_auxiliary_vector, is_only_cpu,
};
pub(crate) use self::temporary::TemporaryDirectory;
pub(crate) use self::threads::{spawn, spawn_scoped};

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

/// Runs ignored tests of this crate, one after the other in a process of their own, which has these variables. Returns what
/// they print.
#[cfg(test)]
pub(crate) fn run_ignored(tests: &[&str], variables: &[(&str, &std::ffi::OsStr)]) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(tests)
        .args(["--ignored", "--test-threads=1", "--nocapture"])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}
