//! Notes: messages on the standard error that are not errors.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::console;

/// A note, in the words that the user reads.
#[derive(Debug)]
pub(crate) enum Note<'a> {
    /// The command line configures a tool that no benchmark runs under.
    UnusedOptions { tool: &'a str },
    /// A counter has a limit, and no benchmark reports it.
    UnusedCounterLimit { counter: &'a str },
    /// The files of some benchmarks name gungraun's perf, which `--time` replaces but for these options.
    Perf { benchmarks: usize, options: &'a BTreeSet<&'a str>, is_timed: bool },
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
    /// Another run has the lock of the output directory.
    Waiting { directory: &'a Path },
    /// Pages for a browser were written.
    Pages { start: &'a Path, benchmarks: usize },
    /// An import goes without results.
    Missing { results: &'a [String] },
    /// A run was killed while it replaced results.
    HalfWritten { journal: &'a Path },
    /// A directory of results has a journal that the next run refuses.
    ForeignJournal { journal: &'a Path, reason: &'a dyn Error },
    /// No benchmark of a file has a name that a filter matches. The most similar names follow.
    NoMatch { file: &'a str, benchmarks: usize, filters: &'a str, similar: Option<String> },
    /// A run goes on without a terminal that shows its progress.
    Progress { done: u64, all: u64, elapsed: Duration },
    /// A benchmark takes long.
    Slow { title: &'a str, elapsed: Duration },
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

impl fmt::Display for Note<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slow { title, elapsed } => {
                write!(formatter, "slow: {title} has been running for {} s", elapsed.as_secs())
            }
            Self::NoMatch { file, benchmarks, filters, similar } => {
                let benchmarks = counted(*benchmarks, "benchmark");
                write!(formatter, "note: {filters} matches none of the {benchmarks} of `{file}`")?;
                match similar {
                    Some(question) => write!(formatter, "\nhelp: {question}"),
                    None => Ok(()),
                }
            }
            Self::Progress { done, all, elapsed } => {
                write!(formatter, "running: {done} of {all} done after {} s", elapsed.as_secs())
            }
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
            Self::Perf { benchmarks, options, is_timed } => {
                let benchmarks = counted(*benchmarks, "benchmark");
                let times = if *is_timed { "" } else { ": `--time` measures the time" };
                write!(formatter, "note: {benchmarks} with `Perf`, which does not run{times}")?;
                let names: Vec<_> = options.iter().map(|option| format!("`{option}`")).collect();
                match &*names {
                    [] => Ok(()),
                    names => write!(formatter, "; without an effect: {}", names.join(", ")),
                }
            }
            Self::Shard { shard, benchmarks, all, by, fingerprint } => write!(
                formatter,
                "note: shard {shard} has {benchmarks} of {all} benchmarks, {by} (partition \
                 {fingerprint})"
            ),
            Self::Profile { has_debug_info } => {
                let problem = if *has_debug_info {
                    "counts can change with any change of the crate: it is compiled in several units"
                } else {
                    "changes can't be explained by function: no debug information of the executable was found"
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
            Self::Pages { start, benchmarks } => {
                let benchmarks = counted(*benchmarks, "benchmark");
                write!(formatter, "wrote the pages of {benchmarks}: {}", start.display())
            }
            Self::Waiting { directory } => {
                write!(formatter, "waiting for another run that uses {}", directory.display())
            }
            Self::HalfWritten { journal } => write!(
                formatter,
                "note: a run was killed while it replaced results, some of which can be missing or new: {}\n\
                 help: the next run of these benchmarks that can write there restores them",
                journal.display()
            ),
            Self::ForeignJournal { journal, reason } => write!(
                formatter,
                "note: your next run refuses these results: can't undo the renames of a killed run: {}: {reason}\n\
                 help: choose another directory with --home, or remove the directory {} if it has no results that \
                 you need",
                journal.display(),
                journal.parent().unwrap_or(journal).display()
            ),
            Self::Missing { results } => {
                write!(formatter, "note: imported without {}", results.join(", "))
            }
        }
    }
}

/// Something that has to get out of the way while a note is printed, such as a progress line.
type Suspend = dyn Fn(&dyn Fn()) + Send + Sync;

static SUSPEND: Mutex<Option<Box<Suspend>>> = Mutex::new(None);

impl Note<'_> {
    /// Prints the note.
    pub(crate) fn print(&self) {
        print_line(self);
    }
}

/// Returns a number of things: `1 commit`, `2 commits`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{end}")
}

/// Prints a note on a line of its own.
pub(crate) fn print_line(note: &dyn fmt::Display) {
    print(&format!("{note}\n"));
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
