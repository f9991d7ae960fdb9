//! The table of Valgrind's tools: a row for each, and a folder with what it does its own way.

pub(crate) mod callgrind;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::benchmark::MeasuredFunction;
use crate::error::Result;
use crate::metric::{EventKind, MetricSet, Metrics};
use crate::protocol::Counting;

/// A row of the table.
pub(crate) struct Tool {
    /// Valgrind's name for it, which also starts the names of its files.
    pub(crate) name: &'static str,
    /// What it can tell.
    pub(crate) metrics: &'static MetricSet,
    /// Its own arguments for a launch.
    pub(crate) arguments: fn(&Launch<'_>) -> Vec<OsString>,
    /// Makes the result of a benchmark out of the files of its processes.
    pub(crate) finish: fn(&Processes<'_>, to: &Path, wanted: &[EventKind]) -> Result<Metrics>,
    /// Reads a result that `finish` made. Both leave out what is costly to read unless it is wanted.
    pub(crate) read: fn(&Path, wanted: &[EventKind]) -> Result<Metrics>,
}

/// What a tool's arguments depend on.
pub(crate) struct Launch<'a> {
    /// Where the tool shall put its files, named after the process.
    pub(crate) directory: &'a Path,
    /// What delimits the counted instructions.
    pub(crate) counting: Counting,
    /// The measured functions.
    pub(crate) functions: &'a BTreeSet<&'a MeasuredFunction>,
}

/// The processes of one benchmark, each given by the path that its files start with.
pub(crate) struct Processes<'a> {
    /// The one that ran the benchmark function.
    pub(crate) main: &'a Path,
    /// Those that the benchmark function started, in the order of their start.
    pub(crate) others: &'a [PathBuf],
}
