//! Notes: messages on the standard error that are not errors.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::console;
use crate::error::Error;

/// A note, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum Note<'a> {
    /// The command line configures a tool that no benchmark runs under.
    UnusedOptions { tool: &'a str },
    /// A counter has a limit, and no benchmark reports it.
    UnusedCounterLimit { counter: &'a str },
    /// The run is one of several shards.
    Shard { shard: &'a str, benchmarks: usize, all: usize, by: DividedBy<'a>, fingerprint: &'a str },
    /// The profile is not the one that explanations and steady counts need.
    Profile { has_debug_info: bool },
    /// The executable has no symbols, and callgrind counts between marks.
    Stripped,
    /// Callgrind does not know when the entry point of a command returns.
    EntryToEnd,
    /// This Valgrind's cachegrind does not support client requests.
    WholeProcess,
    /// The executable cannot run under a path of constant length.
    OwnPath { executable: &'a str, reason: &'a std::io::Error },
    /// A sandbox is kept.
    Sandbox { owner: &'a str, path: &'a Path },
    /// A fixture contains a symbolic link to something outside of it.
    FixtureLink { link: &'a Path },
    /// Cargo builds the benchmarks of another revision.
    Building { revision: &'a str },
    /// The benchmarks of another revision run.
    Measuring { revision: &'a str },
    /// The results of another revision are those of an earlier run.
    MeasuredBefore { revision: &'a str },
    /// A commit can't be measured.
    Skipped { revision: &'a str, reason: &'a Error },
    /// A commit was compared with the good one.
    Bisected { revision: &'a str, changed: usize, total: usize },
    /// The other revision does not have a benchmark file.
    NoFileInRevision { file: &'a str, revision: &'a str },
    /// Files of the other revision are pointers of Git LFS.
    LargeFilePointers { revision: &'a str, file: &'a str, number: usize },
    /// Another run has the lock of the output directory.
    Waiting { directory: &'a Path },
    /// The threads of a benchmark took turns in an order of the kernel's.
    UnorderedThreads,
    /// The same, because the runner can't stop them at the end of their turns.
    ThreadsNotStopped,
    /// All of a routine counts that measures a part of itself.
    MeasuresItself { title: &'a str },
    /// The virtual clock made up for time that had passed while a benchmark ran.
    ClockLeapt { title: &'a str },
    /// Results were added to the note of a commit.
    Recorded { results: usize, commit: &'a str, bytes: usize },
    /// Pages for a browser were written.
    Pages { start: &'a Path, benchmarks: usize },
    /// Commits before changes were not recorded. The command fills them in.
    NotRecorded { commits: usize, command: Option<&'a str> },
    /// There are no recorded commits to learn limits from.
    NothingToLearn,
    /// The noise of benchmarks is not known yet.
    TooShortHistory { benchmarks: usize, all: usize, missing: usize },
    /// The notes were pushed.
    Pushed { remote: &'a str },
    /// A note has lines of another program, or damaged ones.
    ForeignLines { commit: &'a str, lines: usize },
    /// Two writers recorded different values of the same result.
    Contradiction { commit: &'a str, name: &'a str },
    /// An import goes without results.
    Missing { results: &'a [String] },
    /// A run was killed while it replaced results.
    HalfWritten { journal: &'a Path },
    /// The setup of a benchmark takes far longer than the benchmark.
    SlowSetup { title: &'a str, times: SetupTimes },
    /// The threads of a benchmark that takes long.
    SlowThreads { title: &'a str, threads: &'a str },
    /// A benchmark takes long, and a tool runner started Valgrind.
    SlowUnderToolRunner { title: &'a str },
    /// A benchmark takes long.
    Slow { title: &'a str, elapsed: Duration },
}

/// The times of a benchmark and of what runs before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SetupTimes {
    pub(crate) setup: Duration,
    pub(crate) benchmark: Duration,
}

/// The results by which benchmarks are divided into shards.
#[derive(Debug)]
pub(crate) enum DividedBy<'a> {
    Number,
    /// The instructions in a baseline.
    Instructions {
        baseline: &'a str,
    },
    /// The shards of a baseline.
    Shards {
        baseline: &'a str,
    },
}

impl fmt::Display for DividedBy<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number => formatter.write_str("divided by number"),
            Self::Instructions { baseline } => {
                write!(formatter, "divided by their instructions in the baseline `{baseline}`")
            }
            Self::Shards { baseline } => {
                write!(formatter, "divided as in the baseline `{baseline}`")
            }
        }
    }
}

impl Note<'_> {
    /// Writes a note about another revision.
    fn fmt_revision(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Building { revision } => write!(formatter, "building {revision}"),
            Self::Measuring { revision } => write!(formatter, "measuring {revision}"),
            Self::MeasuredBefore { revision } => {
                write!(formatter, "comparing with {revision}, measured before")
            }
            Self::Skipped { revision, reason } => {
                write!(formatter, "note: skipping {revision}: {reason}")
            }
            Self::Bisected { revision, changed: 0, .. } => {
                write!(formatter, "{revision}: no count changed")
            }
            Self::Bisected { revision, changed, total } => {
                write!(formatter, "{revision}: {changed} of {total} counts changed")
            }
            Self::NoFileInRevision { file, revision } => write!(
                formatter,
                "note: {revision} has no benchmark file `{file}`, so that all of its benchmarks are new\n\
                 help: --against-benches=here measures {revision} with the benchmark files of this side"
            ),
            Self::LargeFilePointers { revision, file, number } => write!(
                formatter,
                "note: in {revision}, `{file}` is a pointer of Git LFS and not the file itself ({number} of this kind)\n\
                 help: if benchmarks use it, install Git LFS, and make the file available with `git lfs fetch --all`"
            ),
            _ => Ok(()),
        }
    }

    /// Writes a note about a benchmark.
    fn fmt_benchmark(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MeasuresItself { title } => write!(
                formatter,
                "note: {title}: the routine of `iter_custom` measures a part of itself, and all of it counts"
            ),
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
            Self::Slow { title, elapsed } => {
                write!(formatter, "slow: {title} has been running for {} s", elapsed.as_secs())
            }
            _ => Ok(()),
        }
    }

    /// Writes a note about the history in git.
    fn fmt_history(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded { results, commit, bytes } => {
                let results =
                    if *results == 1 { "1 result" } else { &format!("{results} results") };
                write!(
                    formatter,
                    "recorded {results} in the note of {commit}, which has {bytes} bytes"
                )
            }
            Self::Pushed { remote } => write!(formatter, "pushed the notes to {remote}"),
            Self::NotRecorded { commits, command } => {
                let commits =
                    if *commits == 1 { "1 commit" } else { &format!("{commits} commits") };
                write!(
                    formatter,
                    "note: {commits} before changes are not recorded, so that a change can be one of theirs"
                )?;
                command.map_or(Ok(()), |command| {
                    write!(formatter, "\nhelp: measure and record them with `{command}`")
                })
            }
            Self::NothingToLearn => formatter.write_str(
                "note: --limit=auto has no effect: there are no recorded results of commits\n\
                 help: add results with `--record`, or fetch them: \
                 `git fetch origin refs/notes/iai-callgrind:refs/notes/iai-callgrind`",
            ),
            Self::TooShortHistory { benchmarks, all, missing } => {
                let commits =
                    if *missing == 1 { "1 commit" } else { &format!("{missing} commits") };
                write!(
                    formatter,
                    "note: --limit=auto has no effect on {benchmarks} of {all} benchmarks: the recorded history is \
                     too short\n\
                     help: record at least {commits} more that leave their code as it is, or fetch the whole history"
                )
            }
            Self::ForeignLines { commit, lines } => {
                let lines = if *lines == 1 { "1 line" } else { &format!("{lines} lines") };
                write!(
                    formatter,
                    "note: {lines} in the note of {commit} can't be read and are left out"
                )
            }
            Self::Contradiction { commit, name } => write!(
                formatter,
                "note: {name} was recorded with different values at {commit}, in the same environment\n\
                 help: find the reason: its counts change from run to run, or one writer had another work tree"
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Note<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusedOptions { tool } => write!(
                formatter,
                "note: the options of {tool} have no effect: no benchmark runs under it\n\
                 help: run the benchmarks under it with `--tools={tool}`"
            ),
            Self::UnusedCounterLimit { counter } => write!(
                formatter,
                "note: the limit of the counter `{counter}` has no effect: no benchmark reported it\n\
                 help: check the name, or remove the limit"
            ),
            Self::Shard { shard, benchmarks, all, by, fingerprint } => write!(
                formatter,
                "note: shard {shard} has {benchmarks} of {all} benchmarks, {by} (partition \
                 {fingerprint})"
            ),
            Self::Profile { has_debug_info } => {
                let problem = if *has_debug_info {
                    "counts can change with any change of the crate: it is compiled in several units"
                } else {
                    "changes can't be explained by function: the executable has no debug information"
                };
                write!(
                    formatter,
                    "note: {problem}\nhelp: set `debug = 1` and `codegen-units = 1` in [profile.bench], or silence \
                     this with `--profile-note=no`"
                )
            }
            Self::Stripped => formatter.write_str(
                "note: the counts include a few instructions around each call: the executable has no symbols\n\
                 help: set `strip = false` in [profile.bench]: the linker mold removes all symbols without it, \
                 as `strip = true` does",
            ),
            Self::EntryToEnd => formatter.write_str(
                "note: callgrind counts from the entry point of a command to the end of the process: on AArch64 it \
                 can't tell when the function returns",
            ),
            Self::WholeProcess => formatter.write_str(
                "note: cachegrind counts the whole process with harness, setup and teardown: this Valgrind \
                 is older than 3.22\nhelp: install Valgrind 3.22 or newer",
            ),
            Self::OwnPath { executable, reason } => write!(
                formatter,
                "note: {executable} can't run under a path of constant length, so cache metrics can depend on \
                 its path: {reason}\nhelp: silence this with `--own-path`"
            ),
            Self::UnorderedThreads => formatter.write_str(
                "note: the counts of benchmarks with threads differ from run to run: this user may not give the \
                 threads a fixed order\nhelp: allow a real-time priority of 1, such as with `ulimit -r 1`",
            ),
            Self::ThreadsNotStopped => formatter.write_str(
                "note: the counts of benchmarks with threads differ from run to run: the system allows no seccomp filter, \
                 through which threads take turns\nhelp: use Linux 5.5 or newer, and allow `seccomp` in a container",
            ),
            Self::Sandbox { owner, path } => {
                write!(formatter, "note: the sandbox of {owner} is {}", path.display())
            }
            Self::FixtureLink { link } => write!(
                formatter,
                "note: the target of the symbolic link {} is copied: it is outside of the fixture",
                link.display()
            ),
            Self::Building { .. }
            | Self::Measuring { .. }
            | Self::MeasuredBefore { .. }
            | Self::Skipped { .. }
            | Self::Bisected { .. }
            | Self::NoFileInRevision { .. }
            | Self::LargeFilePointers { .. } => self.fmt_revision(formatter),
            Self::Recorded { .. }
            | Self::Pushed { .. }
            | Self::NotRecorded { .. }
            | Self::NothingToLearn
            | Self::TooShortHistory { .. }
            | Self::ForeignLines { .. }
            | Self::Contradiction { .. } => self.fmt_history(formatter),
            Self::Pages { start, benchmarks } => {
                let benchmarks =
                    if *benchmarks == 1 { "1 benchmark" } else { &format!("{benchmarks} benchmarks") };
                write!(formatter, "wrote the pages of {benchmarks}: {}", start.display())
            }
            Self::Waiting { directory } => {
                write!(formatter, "waiting for another run that uses {}", directory.display())
            }
            Self::HalfWritten { journal } => write!(
                formatter,
                "note: a run was killed while it replaced results, some of which can be missing or new: {}\n\
                 help: the next run of these benchmarks restores them",
                journal.display()
            ),
            Self::Missing { results } => {
                write!(formatter, "note: imported without {}", results.join(", "))
            }
            Self::MeasuresItself { .. }
            | Self::ClockLeapt { .. }
            | Self::SlowSetup { .. }
            | Self::SlowThreads { .. }
            | Self::SlowUnderToolRunner { .. }
            | Self::Slow { .. } => self.fmt_benchmark(formatter),
        }
    }
}

/// Something that has to get out of the way while a note is printed, such as a progress line.
type Suspend = dyn Fn(&dyn Fn()) + Send + Sync;

static SUSPEND: Mutex<Option<Box<Suspend>>> = Mutex::new(None);

impl Note<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print(&format!("{self}\n"));
    }
}

/// Prints text on the standard error.
pub(crate) fn print(text: &str) {
    let print = || {
        // An error on the standard error cannot be reported anywhere
        let _ = console::stderr().write_all(text.as_bytes());
    };
    let suspend = SUSPEND.lock().unwrap_or_else(PoisonError::into_inner);
    match &*suspend {
        Some(suspend) => suspend(&print),
        None => print(),
    }
}

/// Sets or removes the function through which notes are printed.
pub(crate) fn suspend_with(suspend: Option<Box<Suspend>>) {
    *SUSPEND.lock().unwrap_or_else(PoisonError::into_inner) = suspend;
}
