//! What the macros put the user's expressions into, so that the compiler says in the user's terms what
//! is wrong with one.

use iai_callgrind_plan as plan;

use crate::config::{BinaryBenchmarkConfig, LibraryBenchmarkConfig};

/// What `config = ...` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a library benchmark",
    label = "expected a `LibraryBenchmarkConfig`",
    note = "write it as in `config = LibraryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoLibraryConfig {
    /// The configuration.
    fn into_config(self) -> plan::Config;
}

#[diagnostic::do_not_recommend]
impl<T> IntoLibraryConfig for T
where
    LibraryBenchmarkConfig: From<T>,
{
    fn into_config(self) -> plan::Config {
        LibraryBenchmarkConfig::from(self).into()
    }
}

/// The value of a `config = ...` of library benchmarks.
pub fn library_config(config: impl IntoLibraryConfig) -> plan::Config {
    config.into_config()
}

/// What `config = ...` takes where commands are configured.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a binary benchmark",
    label = "expected a `BinaryBenchmarkConfig`",
    note = "write it as in `config = BinaryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoBinaryConfig {
    /// The configuration.
    fn into_config(self) -> plan::Config;
}

#[diagnostic::do_not_recommend]
impl<T> IntoBinaryConfig for T
where
    BinaryBenchmarkConfig: From<T>,
{
    fn into_config(self) -> plan::Config {
        BinaryBenchmarkConfig::from(self).into()
    }
}

/// The value of a `config = ...` of binary benchmarks.
pub fn binary_config(config: impl IntoBinaryConfig) -> plan::Config {
    config.into_config()
}

/// What can be made of a line of a file.
#[diagnostic::on_unimplemented(
    message = "a line of a file can't become `{Self}`",
    label = "its lines are text",
    note = "a line is handed over by `From<&'static str>`; write a `setup` that makes the argument of a \
            line, as in `setup = |line: &str| line.parse::<u64>().unwrap()`"
)]
pub trait FromLine {
    /// The line as the type that the benchmark function, or its set-up, takes.
    fn from_line(line: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromLine for T {
    fn from_line(line: &'static str) -> Self {
        line.into()
    }
}

/// How many items there are. The second argument says what type they have.
pub fn count<I: IntoIterator>(items: I, _: impl FnOnce(I::Item)) -> usize {
    items.into_iter().count()
}

/// The item with this index.
///
/// # Panics
///
/// If there is none, although there was one when they were counted.
#[track_caller]
pub fn item<I: IntoIterator>(items: I, index: usize) -> I::Item {
    let Some(item) = items.into_iter().nth(index) else {
        panic!(
            "this `iter` had an item with the index {index} when its items were counted, but has none \
             now: its items must not depend on the environment"
        );
    };
    item
}
