//! Options with a fixed set of values.

use clap::ValueEnum;

/// The results of the processes of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Processes {
    /// Their sum.
    Together,
    /// Their sum, and each of them.
    Separate,
}

/// The use of the counts in a file of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SnapshotMode {
    Compare,
    Accept,
    No,
}

/// The results whose changes are explained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Explain {
    /// All that changed.
    All,
    /// Changes that exceed a limit, and on output for people all changes, by their causes.
    #[default]
    Auto,
    /// Those that exceed a limit.
    Regressions,
    /// None.
    None,
}

/// The benchmark files with which another revision is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AgainstBenches {
    /// Those of the revision.
    #[default]
    Own,
    /// Those of this side.
    Here,
}

/// The source of limits that the user does not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitSource {
    /// Noise of the benchmark: recorded commits, and counted layouts.
    Auto,
}

/// The benchmarks that are timed if another revision is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TimedBenchmarks {
    /// Those whose counts differ.
    Changed,
    /// All.
    All,
}
