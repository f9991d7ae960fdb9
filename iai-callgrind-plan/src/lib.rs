//! The plan: what a benchmark file hands to the runner, as versioned JSON.
//!
//! The library fills these types and writes them with nanoserde, which builds in a fraction of the
//! time of serde; the runner reads them with serde. For the two to agree the types are plain: structs
//! with named fields, and enums without fields or with named ones.

mod command;
mod config;
pub mod filter;
mod flamegraph;
pub mod metric;
pub mod protocol;
mod text;

use nanoserde::SerJson;

pub use self::command::{Command, Delay, DelayKind, Pipe, Stdin, Stdio};
pub use self::config::{
    Config, EntryPoint, ExitWith, Fixture, OutputFormat, Tool, ValgrindTool, Variable,
};
pub use self::flamegraph::{Direction, Flamegraph, FlamegraphKind};
pub use self::text::{decode, encode};

/// The version of the plan's format. It grows with every change that the other side has to know.
pub const PLAN_VERSION: u32 = 3;

/// The version of this crate, which is that of the library: they only work as a pair.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What to benchmark: one benchmark file.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Plan {
    /// [`PLAN_VERSION`] of the library that wrote it.
    pub plan_version: u32,
    /// [`VERSION`] of the library that wrote it.
    pub library_version: String,
    /// The name of the package the benchmark file belongs to.
    pub package: String,
    /// The directory of that package's `Cargo.toml`.
    pub package_dir: String,
    /// The name of the benchmark file's crate, which starts every benchmark's name.
    pub file: String,
    /// The benchmark executable.
    pub executable: String,
    /// The target triple that it was built for.
    pub target: String,
    /// What `main!` configures for all groups.
    pub config: Config,
    /// What runs before the first benchmark and after the last one.
    pub hooks: Hooks,
    /// The groups in the order of `main!`.
    pub groups: Vec<Group>,
}

/// The functions of one `library_benchmark_group!` or `binary_benchmark_group!`.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// Whether cases with the same id are compared with each other.
    pub compare_by_id: bool,
    /// What the group configures for its functions.
    pub config: Config,
    /// What runs before the group's first benchmark and after its last one.
    pub hooks: Hooks,
    /// Whether its hooks run in a sandbox, what set-up leaves in which each of its benchmarks finds in
    /// its own.
    pub hooks_in_sandbox: bool,
    /// Those of its hooks that are measured when they run.
    pub measured_hooks: Vec<MeasuredHook>,
    /// The functions in the order of the group.
    pub functions: Vec<Function>,
}

/// A benchmark function, or the cases that a group consists of without one.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Function {
    /// The function's name; none if the cases belong to the group itself.
    pub name: Option<String>,
    /// What the function configures for its cases.
    pub config: Config,
    /// Its cases in the order of their attributes.
    pub cases: Vec<Case>,
}

/// One run of a benchmark function.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Case {
    /// The id given in `#[bench::id]`, if there is such an attribute.
    pub id: Option<String>,
    /// The arguments as they stand in the source, or the command.
    pub arguments: String,
    /// What is measured.
    pub subject: Subject,
    /// What it configures for itself.
    pub config: Config,
}

/// What a case measures.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Subject {
    /// A function in the benchmark executable
    Library {
        /// The full path of the type that the measured function is an associated function of.
        owner: String,
        /// That function's name.
        function: String,
        /// Where the case's code is in the executable, as the fork server understands it; see
        /// [`crate::protocol::Command::entry`].
        entry: u64,
        /// Which one it is of the cases that share this code.
        item: u64,
    },
    /// A process
    Binary {
        /// What it runs.
        command: Command,
        /// Which one it is of its group's cases, see [`crate::protocol::Hook`].
        index: u64,
        /// What runs before and after the command, in the sandbox.
        hooks: Hooks,
    },
}

/// What the names of the cases of a function begin with: `file::group::function`.
#[must_use]
pub fn path(file: &str, group: &str, function: Option<&str>) -> String {
    match function {
        Some(function) => format!("{file}::{group}::{function}"),
        None => format!("{file}::{group}"),
    }
}

/// The name that filters go by, `path::id`.
#[must_use]
pub fn name(path: &str, id: Option<&str>) -> String {
    id.map_or_else(|| path.to_owned(), |id| format!("{path}::{id}"))
}

/// A hook of a group of binary benchmarks that is a benchmark itself.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct MeasuredHook {
    /// Which one.
    pub kind: HookKind,
    /// The name of the function.
    pub name: String,
    /// The function as a case: always a [`Subject::Library`].
    pub subject: Subject,
}

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum HookKind {
    /// Before the group's first benchmark
    Before,
    /// Before each benchmark
    Setup,
    /// After each benchmark
    Teardown,
    /// After the group's last benchmark
    After,
}

/// What runs around a command, or around the benchmarks of a group or of the whole file, in a process of
/// its own that is not measured; see [`crate::protocol::Hook`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Hooks {
    /// Whether there is something to run before.
    pub setup: bool,
    /// Whether there is something to run after.
    pub teardown: bool,
}
