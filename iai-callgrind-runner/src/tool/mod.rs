//! The table of Valgrind's tools: a row for each, and a folder with what it does its own way.

pub(crate) mod callgrind;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use self::callgrind::CALLGRIND;
use crate::benchmark::MeasuredFunction;
use crate::error::Result;
use crate::metric::Metrics;
use crate::options::LaunchOptions;
use crate::plan::ValgrindTool;
use crate::protocol::Counting;

/// The tools, in the order of the command line's help.
pub(crate) static TOOLS: [&Tool; 1] = [&CALLGRIND];

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Tool {
    /// What configurations call it.
    pub(crate) kind: ValgrindTool,
    /// Valgrind's name for it, which also starts the names of its files.
    pub(crate) name: &'static str,
    /// An argument of its own, for the help.
    pub(crate) example: &'static str,
    /// Its own arguments for a launch.
    pub(crate) arguments: fn(&Launch<'_>) -> Vec<OsString>,
    /// Makes the result of a benchmark out of the files of its processes.
    pub(crate) finish: fn(&Processes<'_>, to: &Path) -> Result<Metrics>,
    /// Reads a result that `finish` made.
    pub(crate) read: fn(&Path) -> Result<Metrics>,
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
    /// The one that ran the benchmark function.
    pub(crate) main: &'a Path,
    /// Those that the benchmark function started, in the order of their start.
    pub(crate) others: &'a [PathBuf],
    /// How the launch was configured.
    pub(crate) options: &'a LaunchOptions,
}
