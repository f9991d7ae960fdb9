//! The machine-readable output: what one line of `--output-format=json`, and one `summary.json`, holds.
//!
//! Each object says what came of one benchmark. The JSON schema in `schemas/` is made of these types,
//! and whoever reads the output in Rust can use them: the feature `summary` has them without the rest of
//! the runner.
//!
//! Counts are whole numbers and exact; where nothing was measured there is `null`, never a zero.

mod read;
mod values;

use serde::{Deserialize, Serialize};

pub use self::read::ReadError;
pub use self::values::{
    Change, Limit, LimitKind, Metric, Metrics, Range, Regression, Spread, Unit, Value,
};

/// The version of the format. It grows when something that was there changes or goes; what is new
/// alone does not change it.
pub const VERSION: u32 = 1;

/// What came of one benchmark
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The version of this format
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// The version of the runner that wrote this
    pub runner: String,
    /// The name that filters go by: `file::group::function::id`, without what the benchmark has not
    pub name: String,
    /// The package that the benchmark file belongs to
    pub package: String,
    /// The directory of that package's `Cargo.toml`, if a benchmark file told it
    pub package_dir: Option<String>,
    /// The name of the benchmark file
    pub file: String,
    /// The group
    pub group: String,
    /// The benchmark function; a command that a group runs has none
    pub function: Option<String>,
    /// The id of the case; a function without cases has none
    pub id: Option<String>,
    /// The arguments as they stand in the source; null for results that were read from files
    pub arguments: Option<String>,
    /// The benchmark executable; null for results that were read from files
    pub executable: Option<String>,
    /// The target that it was built for
    pub target: Option<String>,
    /// What was compared
    pub baselines: Baselines,
    /// How it ended
    pub status: Status,
    /// Why it failed, if it did
    pub error: Option<String>,
    /// What came of it under each tool, the default tool first; nothing if it could not be measured
    pub tools: Vec<Tool>,
    /// The benchmarks that it is compared with by id
    pub comparisons: Vec<Comparison>,
}

/// Which results were compared
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baselines {
    /// The baseline that the new results are, or went to; null for those of the last run
    pub new: Option<String>,
    /// The baseline that they are compared with; null for the results of the run before
    pub old: Option<String>,
}

/// How a benchmark ended
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It was measured and broke no limit
    Ok,
    /// It was measured and broke at least one limit
    Regressed,
    /// It could not be measured, or a tool found errors in it
    Failed,
}

/// What came of a benchmark under one tool
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Valgrind's name for the tool: `callgrind`
    pub tool: String,
    /// The command that it watched, if Valgrind's log tells
    pub command: Option<String>,
    /// The arguments for Valgrind and the tool that the user gave, in the configuration or on the
    /// command line
    pub valgrind_args: Vec<String>,
    /// The files of the results
    pub files: Files,
    /// The names of the metrics that are to be shown, in this order
    pub shown: Vec<String>,
    /// What was counted in all threads and processes together
    pub total: Metrics,
    /// What each of them counted; empty if there was only one
    pub parts: Vec<Part>,
    /// The limits that the result was held against
    pub limits: Vec<Limit>,
    /// Those that it broke
    pub regressions: Vec<Regression>,
    /// How far the values lie apart, if the benchmark ran under several seeds
    pub spread: Option<Spread>,
}

/// The files of a benchmark's results, with absolute paths, as far as they are there
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Files {
    /// Those of the new result: the tool's output, Valgrind's log and what was made of them
    pub new: Vec<String>,
    /// Those of the result that it is compared with
    pub old: Vec<String>,
}

/// What one process or thread counted. New and old ones are paired in the order of their start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// Where the new values come from; null if fewer ran than before
    pub new: Option<Process>,
    /// Where the old values come from; null if more ran than before, or it was the first run
    pub old: Option<Process>,
    /// What was counted
    pub metrics: Metrics,
}

/// A process, or one of its threads
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Process {
    /// The process id
    pub pid: u64,
    /// The thread, counted from one; null if it is all of the process
    pub thread: Option<u64>,
    /// The command that the process ran
    pub command: String,
}

/// Another benchmark of the same group and with the same id (`compare_by_id`)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Its name
    pub name: String,
    /// Under each tool that both ran under
    pub tools: Vec<ComparedTool>,
}

/// A comparison under one tool
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedTool {
    /// Valgrind's name for the tool
    pub tool: String,
    /// The other benchmark's values as the new ones, this one's as the old ones
    pub metrics: Metrics,
}
