//! Builders of binary benchmarks: commands, their benchmarks and groups.

mod benchmark;
mod command;
mod delay;
mod group;
mod run;

pub use self::benchmark::{Bench, BenchmarkId, BinaryBenchmark};
pub use self::command::{Command, Stdin, Stdio};
pub use self::delay::{Delay, DelayKind};
pub(crate) use self::group::Action;
pub use self::group::BinaryBenchmarkGroup;
pub use self::run::{Arg, Options, Run};
