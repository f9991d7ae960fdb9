//! Types of the machine-readable output: one line of `--output-format=json` or one `summary.json`.
//!
//! Each object is the summary of one benchmark. The JSON schema in `schemas/` is generated from these types, and
//! programs in Rust can use them to read the output.
//!
//! Counts are exact integers. A value that was not measured is `null`, never zero.

mod commits;
pub mod explanation;
pub mod growth;
mod read;
pub mod time;
mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::commits::{Commit, Commits};
use self::explanation::Explanation;
use self::growth::Growth;
pub use self::read::ReadError;
use self::time::Time;
pub use self::values::{
    Change, Limit, LimitKind, LimitValue, Metric, Metrics, Range, Regression, Spread, Unit, Value,
};

/// Version of the format. A change or a removal of a field increases it, an addition does not.
pub const VERSION: u32 = 1;

/// The summary of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    pub version: u32,
    /// Version of the runner that wrote the summary.
    pub runner: String,
    /// Name that filters match: `file::group::function::id`. The function or the id can be missing.
    pub name: String,
    /// Package of the benchmark file.
    pub package: String,
    /// Directory with the `Cargo.toml` of the package; null for stored results.
    pub package_dir: Option<String>,
    /// Name of the benchmark file.
    pub file: String,
    /// Name of the group.
    pub group: String,
    /// Name of the benchmark function; null for a command of a group.
    pub function: Option<String>,
    /// Id of the case; null for a function without cases.
    pub id: Option<String>,
    /// Id in the framework that the benchmark file is written for, such as Criterion's `group/function/parameter`; null
    /// for a benchmark of iai-callgrind's own macros and for stored results.
    #[serde(default)]
    pub external_id: Option<String>,
    /// Size of the input; null if it is not known.
    #[serde(default)]
    pub size: Option<i64>,
    /// Text that the benchmark sets about itself, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Arguments as written in the source; null for stored results.
    pub arguments: Option<String>,
    /// Path of the benchmark executable; null for stored results.
    pub executable: Option<String>,
    /// Target triple of the executable.
    pub target: Option<String>,
    /// Results that are compared.
    pub baselines: Baselines,
    /// Command line of the run; null for stored results.
    #[serde(default)]
    pub invocation: Option<Invocation>,
    /// Status of the benchmark.
    pub status: Status,
    /// Error message; null unless the benchmark failed.
    pub error: Option<String>,
    /// Results of the tools, the default tool first; empty if the benchmark was not measured.
    pub tools: Vec<Tool>,
    /// Comparisons with other benchmarks by id.
    pub comparisons: Vec<Comparison>,
    /// Growth of the costs with the size of the input, up to this benchmark; null unless it is the last one of a curve.
    #[serde(default)]
    pub growth: Option<Growth>,
    /// Time of a call; null unless it was asked for.
    #[serde(default)]
    pub time: Option<Time>,
    /// Commits of the compared results; null except in reports and pages of stored results.
    #[serde(default)]
    pub commits: Option<Commits>,
    /// Change from the old results; null if the benchmark was not measured.
    #[serde(default)]
    pub change: Option<BenchmarkChange>,
}

/// The results that are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Baselines {
    /// Baseline of the new results; null for the last run.
    pub new: Option<String>,
    /// Baseline of the old results; null for the run before.
    pub old: Option<String>,
}

/// The command line that repeats a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Invocation {
    /// Start of the command line: `cargo bench --bench my_benchmark --`.
    pub program: String,
    /// Arguments that change what is selected, measured, compared or checked, also those of variables. Values of environment
    /// variables are left out.
    pub arguments: Vec<String>,
}

/// The change of a benchmark as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BenchmarkChange {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Name of the metric that decides if the benchmark is better or worse: one whose limit is exceeded, one with a limit,
    /// the instructions, another count, or the estimated cycles; null for a benchmark that is neither.
    pub metric: Option<String>,
}

/// The kind of the change of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The metric that decides became worse.
    Worse,
    /// The metric that decides became better.
    Better,
    /// There is no old result.
    New,
    /// Only accesses to the caches moved, by no more than another layout moves them.
    CachesOnly,
    /// No shown metric changed.
    Unchanged,
}

/// The status of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured, no limit exceeded.
    Ok,
    /// Measured, at least one limit exceeded.
    Regressed,
    /// Not measured, or a tool found errors.
    Failed,
}

/// The result of a benchmark under one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tool {
    /// Valgrind's name of the tool: `callgrind`.
    pub tool: String,
    /// Measured command; null if Valgrind's log does not contain it.
    pub command: Option<String>,
    /// Arguments for Valgrind and the tool from the configuration and the command line.
    pub valgrind_args: Vec<String>,
    /// Files of the results.
    pub files: Files,
    /// Names of the shown metrics, in order.
    pub shown: Vec<String>,
    /// Sum over all threads and processes.
    pub total: Metrics,
    /// Values of each thread and process; empty if there is only one.
    pub parts: Vec<Part>,
    /// Limits of the benchmark.
    pub limits: Vec<Limit>,
    /// Exceeded limits.
    pub regressions: Vec<Regression>,
    /// Spread of the values; null unless the benchmark ran several times.
    pub spread: Option<Spread>,
    /// Explanation of the change; null if it was not asked for.
    #[serde(default)]
    pub explanation: Option<Explanation>,
    /// Values of the machine that the same code asks for, if its count is not that of the old result or of another run; they
    /// can be the reason.
    #[serde(default)]
    pub varies_with: Vec<MachineValue>,
    /// Build and machine of the new result: names and values; null if they are not known.
    #[serde(default)]
    pub environment: Option<BTreeMap<String, String>>,
    /// Differences of build and machine from those of the old result, as far as both are known.
    #[serde(default)]
    pub environment_changes: Vec<EnvironmentChange>,
}

/// A value of the machine that differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineValue {
    /// Name: `free-space`.
    pub name: String,
    /// Use by the benchmark in words: `reads the free space of a file system`.
    pub text: String,
}

/// A part of the build or of the machine that is not the same for two results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnvironmentChange {
    /// Name, such as `compiler`.
    pub name: String,
    /// Value for the old result.
    pub old: String,
    /// Value for the new result.
    pub new: String,
}

/// The existing files of the results, as absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Files {
    /// Files of the new result: output of the tool, Valgrind's log and flamegraphs.
    pub new: Vec<String>,
    /// Files of the old result.
    pub old: Vec<String>,
}

/// The values of one process or thread. New and old ones are paired in the order of their start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Part {
    /// Source of the new values; null if fewer processes or threads ran than before.
    pub new: Option<Process>,
    /// Source of the old values; null if more processes or threads ran than before.
    pub old: Option<Process>,
    /// Values of the metrics.
    pub metrics: Metrics,
}

/// A process or a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Process {
    /// Process id.
    pub pid: u64,
    /// Number of the thread, starting from 1; null for a whole process.
    pub thread: Option<u64>,
    /// Command of the process.
    pub command: String,
}

/// A comparison with another benchmark of the same group and id (`compare_by_id`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Name of the other benchmark.
    pub name: String,
    /// Tools that both benchmarks ran under.
    pub tools: Vec<ComparedTool>,
}

/// A comparison under one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedTool {
    /// Valgrind's name of the tool.
    pub tool: String,
    /// Values of the other benchmark as new, of this benchmark as old.
    pub metrics: Metrics,
}
