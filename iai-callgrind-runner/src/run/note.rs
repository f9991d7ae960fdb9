//! Notes about a benchmark and its place.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::note::{counted, print_line};

/// A note about a benchmark, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum BenchmarkNote<'a> {
    /// All of a routine counts that measures a part of itself.
    MeasuresItself { title: &'a str },
    /// All of a routine is timed that measures a part of itself.
    TimesItself { title: &'a str },
    /// The benchmarks that measure setups and teardowns have no time.
    HooksNotTimed { number: usize },
    /// The programs of commands have only one layout.
    CommandsWithoutLayouts { number: usize },
    /// The virtual clock made up for time that had passed while a benchmark ran.
    ClockLeapt { title: &'a str },
    /// The setup of a benchmark takes far longer than the benchmark.
    SlowSetup { title: &'a str, times: SetupTimes },
    /// The threads of a benchmark that takes long.
    SlowThreads { title: &'a str, threads: &'a str },
    /// A benchmark takes long, and a tool runner started Valgrind.
    SlowUnderToolRunner { title: &'a str },
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
            Self::TimesItself { title } => write!(
                formatter,
                "note: {title}: the routine of `iter_custom` measures a part of itself, and all of it is timed"
            ),
            Self::HooksNotTimed { number } => {
                let hooks = if *number == 1 { "a setup or teardown" } else { "setups and teardowns" };
                write!(formatter, "note: without a time: {hooks}, which can only be counted")
            }
            Self::CommandsWithoutLayouts { number } => {
                let commands = counted(*number, "command");
                write!(
                    formatter,
                    "note: without a time: {commands}, whose programs --time-layouts does not link\n\
                     help: leave the option out to time commands"
                )
            }
            Self::ClockLeapt { title } => write!(
                formatter,
                "note: {title}: its count can differ from run to run: the clock that it reads made up for more than 10 s \
                 that had passed\nhelp: let it do less, so that it takes less than 10 s under Valgrind"
            ),
            Self::SlowSetup { title, times: SetupTimes { setup, benchmark } } => write!(
                formatter,
                "note: {title}: its setup took {:.1} s, and the benchmark {:.1} s\nhelp: run setup without the simulation \
                 by `--cold-caches`, or by `cold_caches(true)` in the configuration of the benchmark",
                setup.as_secs_f64(),
                benchmark.as_secs_f64()
            ),
            Self::SlowThreads { title, threads } => {
                writeln!(formatter, "slow: the threads of {title}:")?;
                threads.lines().try_for_each(|thread| writeln!(formatter, "  {thread}"))?;
                formatter.write_str(
                    "help: if one of them waits for another without an end, set a limit with `--timeout`",
                )
            }
            Self::SlowUnderToolRunner { title } => write!(
                formatter,
                "slow: {title}\nhelp: if its threads spin, use `--cpus=native`: with a tool runner, such a thread keeps the \
                 others from running"
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
                "note: the counts of benchmarks with threads can differ from run to run: this user may not give the \
                 threads a fixed order\nhelp: allow a real-time priority of 1, such as with `ulimit -r 1`",
            ),
            Self::ThreadsNotStopped => formatter.write_str(
                "note: the counts of benchmarks with threads can differ from run to run: the system allows no seccomp filter, \
                 through which threads take turns\nhelp: use Linux 5.5 or newer, and allow `seccomp` in a container",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_lines_of_their_own() {
        let threads = "main (1): ran for 56.9 s\nworker (2): ran for 0.1 s\n";
        let note = BenchmarkNote::SlowThreads { title: "f::g::h", threads }.to_string();
        let lines = "slow: the threads of f::g::h:\n  main (1): ran for 56.9 s\n  worker (2): ran for 0.1 s\nhelp: ";
        assert!(note.starts_with(lines), "{note}");
        let note = BenchmarkNote::SlowUnderToolRunner { title: "f::g::h" }.to_string();
        assert!(
            note.starts_with("slow: f::g::h\nhelp: if its threads spin, use `--cpus=native`"),
            "{note}"
        );
    }
}
