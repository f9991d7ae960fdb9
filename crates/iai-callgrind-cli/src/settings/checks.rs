//! The conditions that the results of a run must meet.

use clap::Args;

use crate::switch::YES_OR_NO;

/// Options that make a run fail although its benchmarks succeeded. The run uses them as they are.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Checks {
    /// Fail if the old results are from another build or machine: compiler, profile, Valgrind, C library, CPU, ...
    ///
    /// Without it, a line at the end names the differences.
    #[arg(long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_STRICT_ENVIRONMENT")]
    pub strict_environment: bool,
}
