//! The plan: the benchmarks of a file and their configuration, as versioned JSON for the runner.
//!
//! The library fills these types and writes them with [`Json`], which builds in a fraction of the
//! time of serde; the runner reads them with serde. Both support plain types only: structs with
//! named fields, and enums.

mod amounts;
mod command;
mod complexity;
mod config;
mod counter;
pub mod counter_record;
pub mod filter;
mod flamegraph;
mod json;
mod limit;
pub mod metric;
mod platform;
pub mod protocol;
pub mod streams;
mod text;
mod throughput;
pub mod virtual_clock;
pub mod walk;

pub use self::amounts::Amounts;
pub use self::command::{Command, Delay, DelayKind, Pipe, Stdin, Stdio};
pub use self::complexity::Complexity;
pub use self::config::{
    Config, EntryPoint, ExitWith, Fixture, OutputFormat, PerfConfig, ProcessName, SanitizeOutput,
    ToolConfig, ValgrindTool, Variable,
};
pub use self::counter::{Counter, CounterName, CounterNameError, CounterValue, MOST_COUNTERS};
pub use self::flamegraph::{Direction, Flamegraph, FlamegraphKind};
pub use self::json::Json;
use self::json::{json_enum, json_struct};
pub use self::limit::{Limit, Percentage, Rate};
pub use self::text::{decode, encode};
pub use self::throughput::Throughput;

/// Version of the plan's format, which increases with every change of it.
pub const PLAN_VERSION: u32 = 16;

/// Version of the library and the runner, which must be equal.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Subcommands of the runner that need no plan. If the first argument of a benchmark executable is
/// one of these names, the executable passes all arguments on to the runner.
pub const SUBCOMMANDS: [&str; 14] = [
    "annotate",
    "baseline",
    "bisect",
    "compare",
    "exec",
    "explain",
    "export",
    "flamegraph",
    "history",
    "import",
    "list",
    "prune",
    "record",
    "report",
];

/// Environment variable with the words before a subcommand, as messages of the runner show them.
pub const COMMAND_VARIABLE: &str = "IAI_CALLGRIND_COMMAND";

/// Environment variable with the benchmark file that starts the runner with a subcommand.
pub const FILE_VARIABLE: &str = "IAI_CALLGRIND_FILE";

/// Environment variable with the benchmark executable that starts the runner with a subcommand.
pub const EXECUTABLE_VARIABLE: &str = "IAI_CALLGRIND_EXECUTABLE";

/// Environment variable that is set while another revision is measured. Its benchmarks can differ
/// from those that the benchmark file has now.
pub const OTHER_REVISION_VARIABLE: &str = "IAI_CALLGRIND_OTHER_REVISION";

/// The benchmarks of one file.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Plan {
    /// [`PLAN_VERSION`] of the library that wrote it.
    pub plan_version: u32,
    /// [`VERSION`] of the library that wrote it.
    pub library_version: String,
    /// Name of the package of the benchmark file.
    pub package: String,
    /// Directory of that package's `Cargo.toml`.
    pub package_dir: String,
    /// Name of the benchmark file's crate, the first part of the benchmarks' names.
    pub file: String,
    /// Benchmark executable; `None` for commands of `exec`.
    pub executable: Option<Executable>,
    /// Configuration in `main!`, for all groups.
    pub config: Config,
    /// Hooks before the first benchmark and after the last one.
    pub hooks: Hooks,
    /// Groups in the order of `main!`.
    pub groups: Vec<Group>,
}

/// A benchmark executable.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Executable {
    /// Path of the file.
    pub path: String,
    /// Build of the executable.
    pub build: Build,
}

/// The build of an executable, as far as cargo describes it to a build script. An unknown value is
/// an empty text.
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Build {
    /// Target triple.
    pub target: String,
    /// Level of optimization in the profile, and whether it has debug assertions.
    pub optimization: String,
    /// Arguments of the compiler in addition to those of the profile, separated like those of
    /// `CARGO_ENCODED_RUSTFLAGS`.
    pub flags: String,
    /// Version of the compiler, with its commit.
    pub compiler: String,
    /// Version of the LLVM that the compiler contains.
    pub llvm: String,
    /// Features of the CPU that the compiler uses, separated by commas.
    pub features: String,
    /// Strategy of a panic.
    pub panic: String,
}

/// The functions of one `library_benchmark_group!` or `binary_benchmark_group!`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Cases that are compared with each other.
    pub compare: Compare,
    /// Number of benchmarks of the group that may run in parallel; 0 for no limit.
    pub max_parallel: u64,
    /// Configuration for the functions of the group.
    pub config: Config,
    /// Hooks before the group's first benchmark and after its last one.
    pub hooks: Hooks,
    /// Run the hooks in a sandbox. Each benchmark finds the files of the setup in its sandbox.
    pub hooks_in_sandbox: bool,
    /// Hooks that are measured when they run.
    pub measured_hooks: Vec<MeasuredHook>,
    /// Functions in the order of the group.
    pub functions: Vec<Function>,
}

impl Group {
    /// Returns a group with these functions, and nothing else.
    #[must_use]
    pub fn new(name: String, functions: Vec<Function>) -> Self {
        Self {
            name,
            compare: Compare::No,
            max_parallel: 0,
            config: Config::default(),
            hooks: Hooks::default(),
            hooks_in_sandbox: false,
            measured_hooks: Vec::new(),
            functions,
        }
    }
}

/// The cases of a group that are compared with each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Compare {
    /// None.
    #[default]
    No,
    /// Those with the same id.
    ById,
    /// All.
    All,
}

/// A benchmark function, or the cases of a group without one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Function {
    /// Name of the function; none if the cases belong to the group itself.
    pub name: Option<String>,
    /// Configuration for the cases of the function.
    pub config: Config,
    /// Cases in the order of their attributes.
    pub cases: Vec<Case>,
}

/// One run of a benchmark function.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Case {
    /// Id in `#[bench::id]`, if there is such an attribute.
    pub id: Option<String>,
    /// Source of the arguments, or the command.
    pub arguments: String,
    /// The measured function or command.
    pub subject: Subject,
    /// Configuration of this case.
    pub config: Config,
    /// Id in the framework that the benchmark file is written for, if that is another one.
    pub external_id: Option<String>,
    /// `Some(false)` if a filter of that framework, which its front end applies, does not select the case.
    pub is_selected: Option<bool>,
    /// Size of the input; `None` if the throughput is the size, or if it is not known.
    pub size: Option<i64>,
    /// Growth curve that the case is a point of, as a name in the group: `function id`. The curve of the group itself is
    /// empty. `None` for a case that is not on a curve.
    pub curve: Option<String>,
}

impl Case {
    /// Returns a case without a configuration of its own that is not on a curve.
    #[must_use]
    pub fn new(id: Option<String>, arguments: String, subject: Subject) -> Self {
        Self {
            id,
            arguments,
            subject,
            config: Config::default(),
            external_id: None,
            is_selected: None,
            size: None,
            curve: None,
        }
    }
}

/// The measured function or command of a case.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Subject {
    /// A function in the benchmark executable.
    Library {
        /// Full path of the type that has the measured function as an associated function.
        owner: String,
        /// Name of that function.
        function: String,
        /// Address of the case's code for the fork server, see [`crate::protocol::ServerCommand::entry`].
        entry: u64,
        /// Index among the cases that share this code.
        item: u64,
    },
    /// A process.
    Binary {
        /// The command to run.
        command: Command,
        /// Index among the group's cases, see [`crate::protocol::Hook`].
        index: u64,
        /// Hooks before and after the command, in the sandbox.
        hooks: Hooks,
    },
}

/// Returns the common part of the names of a function's cases: `file::group::function`.
#[must_use]
pub fn path(file: &str, group: &str, function: Option<&str>) -> String {
    match function {
        Some(function) => format!("{file}::{group}::{function}"),
        None => format!("{file}::{group}"),
    }
}

/// Returns the name of a benchmark for filters, `path::id`.
#[must_use]
pub fn name(path: &str, id: Option<&str>) -> String {
    id.map_or_else(|| path.to_owned(), |id| format!("{path}::{id}"))
}

/// A hook of a group of binary benchmarks that is a benchmark itself.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct MeasuredHook {
    /// Time at which the hook runs.
    pub kind: HookKind,
    /// Name of the function.
    pub name: String,
    /// The function as a case: always a [`Subject::Library`].
    pub subject: Subject,
}

/// The time at which a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum HookKind {
    /// Before the group's first benchmark.
    Before,
    /// Before each benchmark.
    Setup,
    /// After each benchmark.
    Teardown,
    /// After the group's last benchmark.
    After,
}

/// The hooks of a command, of a group or of the whole file. Each runs in an unmeasured process, see
/// [`crate::protocol::Hook`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Hooks {
    /// There is a hook to run before.
    pub setup: bool,
    /// There is a hook to run after.
    pub teardown: bool,
}

json_struct!(Plan {
    plan_version,
    library_version,
    package,
    package_dir,
    file,
    executable,
    config,
    hooks,
    groups
});
json_struct!(Executable { path, build });
json_struct!(Build { target, optimization, flags, compiler, llvm, features, panic });
json_struct!(Group {
    name,
    compare,
    max_parallel,
    config,
    hooks,
    hooks_in_sandbox,
    measured_hooks,
    functions
});
json_enum!(Compare { No, ById, All });
json_struct!(Function { name, config, cases });
json_struct!(Case { id, arguments, subject, config, external_id, is_selected, size, curve });
json_enum!(Subject { Library { owner, function, entry, item }, Binary { command, index, hooks } });
json_struct!(MeasuredHook { kind, name, subject });
json_enum!(HookKind { Before, Setup, Teardown, After });
json_struct!(Hooks { setup, teardown });
