//! Notes about processes, with their texts.

use std::sync::Once;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use std::time::Duration;

use iai_callgrind_base::note::print_line;

/// A note, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Note {
    /// The threads of another run have real-time priority.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[error("waiting for the threads of another run, which have the CPU for real-time priority")]
    WaitingForRealTime,
    /// A process has had real-time priority for long.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[error(
        "note: threads had real-time priority for {longest:.1?}, and lose it now: their counts can \
         differ from run to run\nhelp: make the benchmark shorter"
    )]
    RealTimeEnded { longest: Duration },
    /// The kernel schedules the threads or processes of a benchmark.
    #[error(
        "note: the counts of benchmarks with threads or processes can differ from run to run: {reason}"
    )]
    Unordered { reason: Unordered },
}

impl Note {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

/// A reason why threads and processes have no fixed order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum Unordered {
    #[error(
        "this user may not give them a fixed order\nhelp: allow a real-time priority of 4, such as with `ulimit -r 4`"
    )]
    NoRight,
    /// The runner can't stop them at the end of their time slices.
    #[error(
        "the system allows no seccomp filter, through which threads take turns\nhelp: use Linux 5.5 or newer, and allow \
         `seccomp` in a container"
    )]
    NoFilter,
    /// A tool runner starts them where the runner can't remove the priority again.
    #[error(
        "under a tool runner, they have no fixed order\nhelp: run `cargo bench` where the tool runner starts Valgrind, or \
         silence this with `--cpus=native`"
    )]
    ToolRunner,
    /// Real-time priority would take the only CPU from all other programs.
    #[error(
        "there is one CPU, which other programs need\nhelp: use a machine or a container with two CPUs"
    )]
    OnlyCpu,
    /// Another run has not let the priority go.
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    #[error(
        "another run kept the CPU for real-time priority\nhelp: run the benchmarks again when it has ended; it can be suspended"
    )]
    Kept,
}

/// Prints the note about the first benchmark of this run whose threads or processes have no fixed order.
pub fn note_unordered(reason: Unordered) {
    static PRINTED: Once = Once::new();
    PRINTED.call_once(|| Note::Unordered { reason }.print());
}
