//! What a launch of a tool depends on.

use iai_callgrind_plan::EntryPoint;

/// What the benchmarks of a launch have in common, besides their environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct LaunchOptions {
    /// The user's arguments for Valgrind and the tool.
    pub(crate) arguments: Vec<String>,
    /// What starts and ends counting.
    pub(crate) entry_point: EntryPoint,
    /// What counts besides, see [`plan::ToolConfig::frames`].
    pub(crate) frames: Vec<String>,
    /// Whether set-up runs uninstrumented.
    pub(crate) cold_caches: bool,
    /// Whether threads are counted one by one.
    pub(crate) separate_threads: bool,
}

/// What callgrind knows the measured function by.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MeasuredFunction {
    /// The type that it belongs to, with its path.
    pub(crate) owner: String,
    /// Its name.
    pub(crate) name: String,
}
