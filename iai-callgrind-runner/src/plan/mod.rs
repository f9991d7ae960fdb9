//! The plan: what a benchmark file hands to the runner, as versioned JSON.
//!
//! The library fills these types and writes them with nanoserde, which builds in a fraction of the
//! time of serde; the runner reads them with serde. For the two to agree the types are plain: structs
//! with named fields, and enums without fields or with named ones.

mod config;
mod flamegraph;

use nanoserde::SerJson;

pub use self::config::{Config, EntryPoint, OutputFormat, Tool, ValgrindTool, Variable};
pub use self::flamegraph::{Direction, Flamegraph, FlamegraphKind};

/// The version of the plan's format. It grows with every change that the other side has to know.
pub const PLAN_VERSION: u32 = 3;

/// The version of this crate, which is that of the library: they only work as a pair.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What to benchmark: one benchmark file.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "runner", derive(serde::Deserialize))]
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

/// The functions of one `library_benchmark_group!`.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "runner", derive(serde::Deserialize))]
pub struct Group {
    /// The group's name.
    pub name: String,
    /// Whether cases with the same id are compared with each other.
    pub compare_by_id: bool,
    /// What the group configures for its functions.
    pub config: Config,
    /// What runs before the group's first benchmark and after its last one.
    pub hooks: Hooks,
    /// The functions in the order of the group.
    pub functions: Vec<Function>,
}

/// A benchmark function.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "runner", derive(serde::Deserialize))]
pub struct Function {
    /// The function's name.
    pub name: String,
    /// The full path of the type that the measured function is an associated function of.
    pub owner: String,
    /// What the function configures for its cases.
    pub config: Config,
    /// Its cases in the order of their attributes.
    pub cases: Vec<Case>,
}

/// One run of a benchmark function.
#[derive(Debug, Clone, PartialEq, SerJson)]
#[cfg_attr(feature = "runner", derive(serde::Deserialize))]
pub struct Case {
    /// The id given in `#[bench::id]`, if there is such an attribute.
    pub id: Option<String>,
    /// The arguments as they stand in the source.
    pub arguments: String,
    /// Where the case's code is in the executable, as the fork server understands it; see
    /// [`crate::protocol::Command::entry`].
    pub entry: u64,
    /// Which one it is of the cases that share this code.
    pub item: u64,
    /// What it configures for itself.
    pub config: Config,
}

/// What runs around the benchmarks of a group or of the whole file, in a process of its own that is
/// not measured; see [`crate::protocol::Hook`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "runner", derive(serde::Deserialize))]
pub struct Hooks {
    /// Whether there is something to run before.
    pub setup: bool,
    /// Whether there is something to run after.
    pub teardown: bool,
}
