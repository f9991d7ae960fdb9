//! Notes about a benchmark and its place.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::note::print_line;

/// A note about a benchmark, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum BenchmarkNote<'a> {
    /// All of a routine counts that measures a part of itself.
    MeasuresItself { title: &'a str },
    /// The setup of a benchmark takes far longer than the benchmark.
    SlowSetup { title: &'a str, times: SetupTimes },
    /// A sandbox is kept.
    Sandbox { owner: &'a str, path: &'a Path },
    /// A fixture contains a symbolic link to something outside of it.
    FixtureLink { link: &'a Path },
    /// The threads of a benchmark took turns in an order of the kernel's.
    UnorderedThreads,
    /// The same, because the runner can't stop them at the end of their turns.
    ThreadsNotStopped,
}

/// The times of a benchmark and of what runs before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetupTimes {
    pub(crate) setup: Duration,
    pub(crate) benchmark: Duration,
}

impl BenchmarkNote<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

impl fmt::Display for BenchmarkNote<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MeasuresItself { title } => write!(
                formatter,
                "note: {title}: the routine of `iter_custom` measures a part of itself, and all of it counts"
            ),
            Self::SlowSetup { title, times: SetupTimes { setup, benchmark } } => write!(
                formatter,
                "note: {title}: its setup took {:.1} s, and the benchmark {:.1} s\nhelp: run setup without the simulation \
                 by `--cold-caches`, or by `cold_caches(true)` in the configuration of the benchmark",
                setup.as_secs_f64(),
                benchmark.as_secs_f64()
            ),
            Self::Sandbox { owner, path } => {
                write!(formatter, "note: the sandbox of {owner} is {}", path.display())
            }
            Self::FixtureLink { link } => write!(
                formatter,
                "note: the target of the symbolic link {} is copied: it is outside of the fixture",
                link.display()
            ),
            Self::UnorderedThreads => formatter.write_str(
                "note: the counts of benchmarks with threads differ from run to run: this user may not give the \
                 threads a fixed order\nhelp: allow a real-time priority of 1, such as with `ulimit -r 1`",
            ),
            Self::ThreadsNotStopped => formatter.write_str(
                "note: the counts of benchmarks with threads differ from run to run: the system allows no seccomp filter, \
                 through which threads take turns\nhelp: use Linux 5.5 or newer, and allow `seccomp` in a container",
            ),
        }
    }
}
