//! The table of Valgrind's tools: a row for each, and a file or a folder with what it does its own way.

mod as_written;
mod bbv;
mod cachegrind;
pub(crate) mod callgrind;
mod dhat;
mod errors;
mod extension;
#[cfg(test)]
mod fixtures;
mod launch;
mod lines;
mod massif;
#[cfg(test)]
mod memory_tests;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::iter;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::{AddError, EventKind, MetricSet, Metrics};
use iai_callgrind_plan::protocol::Counting;

use self::bbv::BBV;
use self::cachegrind::CACHEGRIND;
pub(crate) use self::callgrind::CALLGRIND;
pub(crate) use self::dhat::DHAT;
pub(crate) use self::errors::MEMCHECK;
use self::errors::{DRD, HELGRIND};
pub(crate) use self::extension::{is_of, of_process};
pub(crate) use self::launch::{LaunchOptions, MeasuredFunction};
use self::massif::MASSIF;
use crate::error::{Error, Result};
use crate::valgrind::log::preamble;

/// The tools, in the order of the command line's help and of the results.
pub(crate) static TOOLS: [&Tool; 8] =
    [&CALLGRIND, &CACHEGRIND, &DHAT, &MEMCHECK, &HELGRIND, &DRD, &MASSIF, &BBV];

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What configurations call it.
    pub(crate) kind: ValgrindTool,
    /// What it is called on the command line, in headlines and in the names of its files.
    pub(crate) name: &'static str,
    /// Valgrind's name for it.
    pub(crate) valgrind_name: &'static str,
    /// What it can tell.
    pub(crate) metrics: &'static MetricSet,
    /// An argument of its own, for the help.
    pub(crate) example: &'static str,
    /// The extension of the files that a result is read from, one of each process; none if everything
    /// stands in the log.
    pub(crate) file: Option<&'static str>,
    /// The extensions of the files that are kept besides if they are there.
    pub(crate) extras: &'static [&'static str],
    /// How the cases of a launch run.
    pub(crate) execution: fn(&LaunchOptions, Capabilities) -> Execution,
    /// Its own arguments for a launch.
    pub(crate) arguments: fn(&Launch<'_>) -> Vec<OsString>,
    /// The exit code of a process that came to its end in which the tool found errors; 0 if that is no
    /// failure.
    pub(crate) exit_code: fn(&LaunchOptions) -> i32,
    /// Makes the result of a benchmark out of the files of its processes.
    pub(crate) finish: fn(&Processes<'_>, &ReadOptions<'_>) -> Result<Collected>,
    /// Reads a result that `finish` made. Both leave out what is costly to read unless it is wanted.
    pub(crate) read: fn(&ResultFiles, &ReadOptions<'_>) -> Result<Measurement>,
}

/// What the executable and Valgrind make possible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capabilities {
    /// Whether the executable has symbols.
    pub(crate) has_symbols: bool,
    /// Whether cachegrind can be told where to begin and where to end.
    pub(crate) cachegrind_requests: bool,
}

/// How the cases of a launch run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Execution {
    /// What delimits the counted instructions.
    pub(crate) counting: Counting,
    /// Whether each case has a Valgrind of its own, because what the tool tells of a process begins with
    /// the fork server's part of it.
    pub(crate) alone: bool,
}

impl Execution {
    /// In a child of the fork server, of which the tool tells everything.
    const PROCESS: Self = Self { counting: Counting::Process, alone: false };

    /// A command, of which the tool tells everything.
    pub(crate) const COMMAND: Self = Self { counting: Counting::Process, alone: true };
}

/// What is asked of a result.
pub(crate) struct ReadOptions<'a> {
    /// How the launch is configured; none for as it was when the result was made.
    pub(crate) options: Option<&'a LaunchOptions>,
    /// The metrics that somebody asks for.
    pub(crate) wanted: &'a [EventKind],
}

/// A result in its place, or on the way there.
#[derive(Debug)]
pub(crate) struct ResultFiles {
    /// The files that it is read from, see [`Tool::file`].
    pub(crate) files: Vec<PathBuf>,
    /// The log of all its processes.
    pub(crate) log: PathBuf,
}

/// A measurement with the files to store.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) measurement: Measurement,
    /// The files to store besides the log, each with its extension.
    pub(crate) files: Vec<(String, PathBuf)>,
}

/// The counts of one benchmark under one tool and one seed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Measurement {
    /// The sum over all processes and threads.
    pub(crate) total: Metrics,
    /// The counts of each process and, if configured, of each thread. Empty if there was only one.
    pub(crate) parts: Vec<ProcessMetrics>,
    /// The report of the tool, if it found errors that fail the benchmark.
    pub(crate) errors: Option<String>,
    /// The output of the benchmark, if it is shown.
    pub(crate) output: Option<Vec<u8>>,
}

impl Measurement {
    /// What these parts counted together; where they begin stands in the error if they don't fit.
    fn of(mut parts: Vec<ProcessMetrics>) -> Result<Self, AddError> {
        let mut total = parts.first().map(|part| part.metrics.clone()).unwrap_or_default();
        for part in parts.iter().skip(1) {
            total = total.checked_add(&part.metrics)?;
        }
        if parts.len() == 1 {
            parts.clear();
        }
        Ok(Self { total, parts, ..Self::default() })
    }
}

/// What a process or a thread counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessMetrics {
    /// The process.
    pub(crate) pid: u64,
    /// The thread, counted from one; none if it is all of the process.
    pub(crate) thread: Option<u64>,
    /// The command that the process ran.
    pub(crate) command: String,
    /// What was counted.
    pub(crate) metrics: Metrics,
}

/// What a tool's arguments depend on.
pub(crate) struct Launch<'a> {
    /// Where the tool shall put its files, named after the process.
    pub(crate) directory: &'a Path,
    /// How its cases run.
    pub(crate) execution: Execution,
    /// The measured functions.
    pub(crate) functions: &'a BTreeSet<&'a MeasuredFunction>,
    /// What the user says.
    pub(crate) options: &'a LaunchOptions,
}

/// The processes of one benchmark, each given by the path that its files start with.
pub(crate) struct Processes<'a> {
    /// The one that ran the benchmark function, or the command.
    pub(crate) main: &'a Path,
    /// Those that the benchmark function or the command started, in the order of their start.
    pub(crate) others: &'a [PathBuf],
    /// Whether `main` ran a command, all of which counts.
    pub(crate) is_command: bool,
    /// The logs of all of them, one after the other.
    pub(crate) log: &'a Path,
    /// How they were launched.
    pub(crate) options: &'a LaunchOptions,
}

impl<'a> Processes<'a> {
    /// All of them.
    fn all(&self) -> impl Iterator<Item = &'a Path> + use<'a> {
        iter::once(self.main).chain(self.others.iter().map(PathBuf::as_path))
    }

    /// Fails if one of them is a fork of another that executed no program of its own: the tool has copied
    /// what it had counted up to then, and that would count twice.
    fn demand_no_fork(&self, tool: &Tool) -> Result<()> {
        let command = |process: &Path| preamble(&process.with_extension("log")).command;
        let own = command(self.main);
        if self.others.iter().any(|other| command(other) == own) {
            let name = tool.name;
            return Err(Error::Case(format!(
                "the benchmark forks, and {name} counts in the new process once more what it had counted \
                 before.\nSwitch {name} off for this benchmark"
            )));
        }
        Ok(())
    }
}

/// A process of the benchmark that goes on after it, or was killed, has counts that nobody knows.
pub(crate) fn did_not_end(process: &Path) -> Error {
    Error::Case(format!(
        "the benchmark started `{}`, but that did not end while the benchmark ran, or was \
         killed: what it counts is not known.\nLet the benchmark wait for it",
        preamble(&process.with_extension("log")).command
    ))
}
