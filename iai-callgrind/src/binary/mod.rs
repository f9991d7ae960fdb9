//! Binary benchmarks: commands, and the groups that a function fills with them.

mod benchmark;
mod command;
mod delay;
mod group;
mod run;

use std::ffi::OsStr;

pub use self::benchmark::{Bench, BenchmarkId, BinaryBenchmark};
pub use self::command::{Command, Stdin, Stdio};
pub use self::delay::{Delay, DelayKind};
pub use self::group::BinaryBenchmarkGroup;
pub(crate) use self::group::{Action, Case, Function, functions};
pub use self::run::{Arg, Options, Run};

/// A path or an argument as the plan has it.
pub(crate) fn text(value: &OsStr) -> String {
    iai_callgrind_plan::encode(value)
}
