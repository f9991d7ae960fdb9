//! A launch of a tool and its arguments.

use std::collections::BTreeSet;
use std::path::Path;

use iai_callgrind_plan::protocol::Counting;
use iai_callgrind_plan::{EntryPoint, SanitizeOutput};

/// Arguments for the simulated caches, which are the same on every machine: 32 KiB of first level cache
/// for instructions and for data, 8 MiB of last level cache.
pub(super) const CACHES: [&str; 4] =
    ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"];

/// The options that the benchmarks of a launch have in common, next to their environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct LaunchOptions {
    /// The user's arguments for Valgrind and the tool.
    pub arguments: Vec<String>,
    /// Start and end of counting.
    pub entry_point: EntryPoint,
    /// Patterns of functions that count as well, see [`iai_callgrind_plan::ToolConfig::frames`].
    pub frames: Vec<String>,
    /// The contents of the stored file.
    pub sanitize_output: SanitizeOutput,
    /// Runs setup uninstrumented.
    pub cold_caches: bool,
    /// Counts each thread separately.
    pub separate_threads: bool,
    /// Traces all allocations, for the metrics that need it.
    pub traces_heap: bool,
}

/// A measured function by callgrind's name for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeasuredFunction {
    /// The type that it belongs to, with its path.
    pub owner: String,
    /// Name of the function.
    pub name: String,
}

/// The capabilities of the executable and of Valgrind.
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// The executable has symbols.
    pub has_symbols: bool,
    /// Client requests can start and stop cachegrind.
    pub cachegrind_requests: bool,
}

/// The way in which the cases of a launch run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// The limits of the counted instructions.
    pub counting: Counting,
    /// Runs each case under a Valgrind of its own, because the counts of a process include the fork
    /// server's part of it.
    pub alone: bool,
}

impl Execution {
    /// A child of the fork server, of which the tool reports everything.
    pub(super) const PROCESS: Self = Self { counting: Counting::Process, alone: false };

    /// A command, of which the tool reports everything.
    pub const COMMAND: Self = Self { counting: Counting::Process, alone: true };
}

/// The input of a tool's arguments.
pub struct Launch<'a> {
    /// Directory for the tool's files, which are named after the process.
    pub directory: &'a Path,
    /// The way in which its cases run.
    pub execution: Execution,
    /// The measured functions.
    pub functions: &'a BTreeSet<&'a MeasuredFunction>,
    /// The user's options.
    pub options: &'a LaunchOptions,
    /// The costs by address are needed.
    pub addresses: bool,
}
