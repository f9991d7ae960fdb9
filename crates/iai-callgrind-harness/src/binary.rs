//! Builders of binary benchmarks: commands, their benchmarks and groups.

mod action;
mod benchmark;
mod command;
mod delay;
mod group;
mod run;

pub(crate) use self::action::Action;
pub use self::benchmark::{Bench, BenchmarkId, BinaryBenchmark};
pub use self::command::{Command, Stdin, Stdio};
pub use self::delay::{Delay, DelayKind};
pub use self::group::BinaryBenchmarkGroup;
pub use self::run::{Arg, Options, Run};
