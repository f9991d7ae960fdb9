//! Notes about a benchmark and its place.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use iai_callgrind_base::note::{counted, plural, print_line};
use iai_callgrind_base::numbers::grouped;

/// A note about a benchmark, in the words that the user reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchmarkNote<'a> {
    /// A routine measures a part of itself, and all of it counts.
    #[error(
        "note: {title}: the routine of `iter_custom` measures a part of itself, and all of it counts"
    )]
    MeasuresItself { title: &'a str },
    /// A benchmark skips itself.
    #[error("note: {title} skips itself: {reason}")]
    Skipped { title: &'a str, reason: &'a str },
    /// A routine measures a part of itself, and all of it is timed.
    #[error(
        "note: {title}: the routine of `iter_custom` measures a part of itself, and all of it is timed"
    )]
    TimesItself { title: &'a str },
    /// The benchmarks that measure setups and teardowns have no time.
    #[error(
        "note: without a time: {}, which can only be counted",
        if *number == 1 { "a setup or teardown" } else { "setups and teardowns" }
    )]
    HooksNotTimed { number: usize },
    /// The programs of commands have only one layout.
    #[error(
        "note: without a time: {}, whose programs --time-layouts does not link\n\
         help: leave the option out to time commands", counted(*number, "command")
    )]
    CommandsWithoutLayouts { number: usize },
    /// A baseline keeps the benchmark executable, and no program of a command.
    #[error(
        "note: without a time: {}, whose programs a baseline does not keep\n\
         help: compare commands with `--against`", counted(*number, "command")
    )]
    CommandsNotKept { number: usize },
    /// The executable of a baseline does not have a benchmark.
    #[error(
        "note: without a time: {}, which the executable of the baseline does not have",
        counted(*number, "benchmark")
    )]
    NotKept { number: usize },
    /// The virtual clock caught up with the system's while a benchmark ran.
    #[error(
        "note: {title}: its count can differ from run to run: the clock that it reads caught up after more \
         than 10 s\nhelp: let it do less, so that it takes less than 10 s under Valgrind"
    )]
    ClockLeapt { title: &'a str },
    /// A process of a benchmark could not start a program.
    #[error(
        "note: {title}: Valgrind did not run {program}, which changes its user or has capabilities\n\
         help: start the whole run as that user, or the program in the setup"
    )]
    Refused { title: &'a str, program: &'a str },
    /// These benchmarks make seeds of hash maps from addresses.
    #[error(
        "note: the counts of {} can change with other code of the executable: {name} makes seeds of hash maps of \
         addresses\nhelp: use a hasher with a fixed seed, such as `{fixed}`, or silence this with `--profile-note=no`",
        listed(titles)
    )]
    AddressSeeds { titles: &'a BTreeSet<String>, name: &'a str, fixed: &'a str },
    /// These functions execute next to nothing.
    #[error(
        "note: at most 3 instructions: {}: the compiler removed the work, or did it at compile time\n\
         help: put `black_box` around the input and return the result, or silence this with `--profile-note=no`",
        listed(titles)
    )]
    WithoutWork { titles: &'a BTreeSet<String> },
    /// The setup of a benchmark takes far longer than the benchmark.
    #[error(
        "note: {title}: its setup took {:.1} s, and the benchmark {:.1} s\nhelp: run setup without the simulation \
         by `--cold-caches`, or by `cold_caches(true)` in the configuration of the benchmark",
        times.setup.as_secs_f64(), times.benchmark.as_secs_f64()
    )]
    SlowSetup { title: &'a str, times: SetupTimes },
    /// The threads of a benchmark that takes long.
    #[error(
        "slow: the threads of {title}:\n{}help: if one of them waits forever for another, set a limit with \
         `--timeout`",
        indented(threads)
    )]
    SlowThreads { title: &'a str, threads: &'a str },
    /// A profiler can watch this process.
    #[error("profile: {title}: process {process}, for {duration:?}")]
    Profiling { title: &'a str, process: i32, duration: Duration },
    /// A profiler can watch the processes of a command.
    #[error("profile: {title}: a process for each run, for {duration:?}")]
    ProfilingCommand { title: &'a str, duration: Duration },
    /// The time of a profile is over.
    #[error(
        "profile: {title}: {} {} in {:.2} s",
        grouped(*calls), plural(*calls, if *is_command { "run" } else { "call" }),
        wall.as_secs_f64()
    )]
    Profiled { title: &'a str, calls: u64, wall: Duration, is_command: bool },
    /// A sandbox is kept.
    #[error("note: the sandbox of {owner} is {}", path.display())]
    Sandbox { owner: &'a str, path: &'a Path },
}

/// The times of a benchmark and of its setup.
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

/// Returns the first titles, and the number of the others.
fn listed(titles: &BTreeSet<String>) -> String {
    const MAXIMUM: usize = 3;
    let first: Vec<_> = titles.iter().take(MAXIMUM).map(String::as_str).collect();
    match titles.len().saturating_sub(MAXIMUM) {
        0 => first.join(", "),
        others => format!("{} and {others} more", first.join(", ")),
    }
}

/// Returns an indented line for each thread.
fn indented(threads: &str) -> String {
    threads.lines().flat_map(|thread| ["  ", thread, "\n"]).collect()
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
    }
}
