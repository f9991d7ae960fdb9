//! Explanations of changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The explanation of a change of the instructions. The changes of its entries add up to the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Kind of the change.
    pub verdict: Verdict,
    /// Lines as on the terminal.
    pub text: Vec<String>,
    /// Cause of the change; null if there is no difference, or if it is not known.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// Source around the costliest changed line; null except in the data of pages.
    #[serde(default)]
    pub source: Option<SourceExcerpt>,
    /// Functions with a change, the largest change first; empty if the verdict is `unknown`.
    pub entries: Vec<Entry>,
    /// Functions that the user did not write, in which the change was executed, the largest change first.
    pub executed_in: Vec<ExecutedIn>,
    /// Files that changed in the git work tree between the results; null if that is not known.
    pub changed_files: Option<ChangedFiles>,
    /// Metrics whose changes are within the noise of the benchmark; null without `--limit=auto`, and if there are none.
    #[serde(default)]
    pub noise: Option<Noise>,
}

/// The cause of a change. Changes whose causes have the same name are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// Name, which all benchmarks with this cause have in common.
    pub name: String,
    /// Cause in words; that of the benchmark with the largest change describes it best.
    pub text: String,
    /// Function with the changed lines; null if the cause is not a change of lines.
    pub function: Option<String>,
    /// File with the changed lines; null if the cause is not a change of lines.
    pub file: Option<String>,
    /// Costliest changed line; null if the cause is not a change of lines.
    pub line: Option<u32>,
    /// True if the line was removed, so that its number is that in the old source.
    #[serde(default)]
    pub is_removed_line: bool,
    /// Changed lines whose costs cannot be distinguished, the most likely one first; empty unless the cause is several lines.
    #[serde(default)]
    pub possible_lines: Vec<PossibleLine>,
}

/// A changed line that can be the cause of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PossibleLine {
    /// File with the line.
    pub file: String,
    /// Number of the line.
    pub line: u32,
    /// True if the line was removed, so that its number is that in the old source.
    pub is_removed: bool,
}

/// Lines of a source file with their costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceExcerpt {
    /// Path in the workspace.
    pub file: String,
    /// Lines of the new source, with those that were removed in between.
    pub lines: Vec<SourceLine>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SourceLine {
    /// Number in the new source; for a removed line, in the old one.
    pub number: u32,
    /// Text of the line; null if it is not known.
    pub text: Option<String>,
    /// Difference from the other source.
    pub change: LineChange,
    /// Old instructions while the line was on the call stack; null for a line that did not run on either side.
    pub old: Option<u64>,
    /// New instructions while the line was on the call stack; null for a line that did not run on either side.
    pub new: Option<u64>,
}

/// The difference of a line from the other source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LineChange {
    /// The line is in both sources, or it does not run.
    None,
    /// The line runs and is only in the new source.
    Added,
    /// The line ran and is only in the old source.
    Removed,
}

/// The noise of a benchmark: changes between commits that did not touch its code, and between layouts of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Noise {
    /// Number of pairs of commits that it was learned from.
    pub pairs: usize,
    /// Number of layouts that it was learned from.
    #[serde(default)]
    pub layouts: usize,
    /// The noise of each metric by name.
    pub metrics: BTreeMap<String, NoiseFloor>,
}

/// The noise of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoiseFloor {
    /// Largest change.
    pub largest: u64,
    /// Largest change in percent of the newest value; null if only that is zero.
    pub percentage: Option<f64>,
}

/// The files that changed in a git work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFiles {
    /// Commit of the old result.
    pub old: String,
    /// Commit of the new result.
    pub new: String,
    /// True if the new result has changes that were not committed.
    #[serde(default)]
    pub uncommitted: bool,
    /// Files, those that run in the benchmark first.
    pub files: Vec<ChangedFile>,
}

/// A file that changed, in a commit or without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedFile {
    /// Path in the workspace, or in the work tree if the file is elsewhere.
    pub path: String,
    /// True if the benchmark runs code of the file; null if that is not known, without debug information.
    pub runs: Option<bool>,
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The compiler, the machine or another part of the environment is not the same.
    Environment,
    /// There is no difference.
    Equal,
    /// The instructions are the same, only accesses to caches moved.
    Caches,
    /// Lines that were changed run.
    ChangedLines,
    /// The same code asks for values of the machine that differ from run to run.
    MachineValues,
    /// Not a change of the code: functions of libraries take other steps, because their data is at another address.
    DataAddresses,
    /// The count varies as much without a change.
    Spread,
    /// The same lines make other calls, or the same machine code runs more or less often.
    Calls,
    /// The same lines run, and something else in their files or packages changed.
    OtherInFile,
    /// The compiler generated other code from the same source.
    CodeGeneration,
    /// There is no table of costs for one of the results.
    Unknown,
}

/// The change of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// Function, or crate if there is no debug information; null for costs without an owner.
    pub function: Option<String>,
    /// Source file; null if it is not known.
    pub file: Option<String>,
    /// Line of the new source with the largest change; null if it is not known.
    pub line: Option<u32>,
    /// Kind of the change.
    pub kind: Kind,
    /// Old instructions.
    pub old: u64,
    /// New instructions.
    pub new: u64,
    /// Share of the sum of all absolute changes, from 0 to 1.
    pub share: f64,
}

/// The kind of the change of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The function was not executed before.
    New,
    /// The function is no longer executed.
    Gone,
    /// Only the code that the function calls changed.
    Calls,
    /// The function has the same machine code.
    SameCode,
    /// The function has other machine code.
    OtherCode,
    /// The function is now inlined into its callers.
    Inlined,
    /// The function is no longer inlined into its callers.
    NoLongerInlined,
    /// The function was and is inlined into its callers.
    InCallers,
    /// The machine code is not known.
    Unknown,
}

/// The change in a function that the user did not write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutedIn {
    /// Function.
    pub function: String,
    /// New instructions minus old ones.
    pub change: i64,
}
