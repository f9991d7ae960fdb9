//! The table of Valgrind's tools: a row for each, and a folder with what it does its own way.

pub(crate) mod callgrind;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use self::callgrind::CALLGRIND;
use crate::benchmark::MeasuredFunction;
use crate::error::{Error, Result};
use crate::metric::{EventKind, MetricSet, Metrics};
use crate::options::LaunchOptions;
use crate::plan::ValgrindTool;
use crate::protocol::Counting;
use crate::valgrind::log::preamble;

/// The tools, in the order of the command line's help.
pub(crate) static TOOLS: [&Tool; 1] = [&CALLGRIND];

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What configurations call it.
    pub(crate) kind: ValgrindTool,
    /// Valgrind's name for it, which also starts the names of its files.
    pub(crate) name: &'static str,
    /// What it can tell.
    pub(crate) metrics: &'static MetricSet,
    /// An argument of its own, for the help.
    pub(crate) example: &'static str,
    /// Its own arguments for a launch.
    pub(crate) arguments: fn(&Launch<'_>) -> Vec<OsString>,
    /// Makes the result of a benchmark out of the files of its processes.
    pub(crate) finish: fn(&Processes<'_>, to: &Path, wanted: &[EventKind]) -> Result<Counted>,
    /// Reads a result that `finish` made. Both leave out what is costly to read unless it is wanted.
    pub(crate) read: fn(&Path, wanted: &[EventKind]) -> Result<Counted>,
}

/// What a tool counted in one benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// All of it.
    pub(crate) total: Metrics,
    /// What each process and, if they were told apart, each thread counted. Empty if there was only one
    /// process and one thread.
    pub(crate) parts: Vec<Part>,
}

/// What a process or a thread counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
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
    /// What delimits the counted instructions.
    pub(crate) counting: Counting,
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
    /// How the launch was configured.
    pub(crate) options: &'a LaunchOptions,
}

/// A process of the benchmark that goes on after it, or was killed, has counts that nobody knows.
pub(crate) fn did_not_end(process: &Path) -> Error {
    Error::Case(format!(
        "the benchmark started `{}`, but that did not end while the benchmark ran, or was \
         killed: what it counts is not known.\nLet the benchmark wait for it",
        preamble(&process.with_extension("log")).command
    ))
}
