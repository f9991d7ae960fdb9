//! What the macros put the user's expressions into, so that the compiler says in the user's terms what
//! is wrong with one.

use crate::config::LibraryBenchmarkConfig;

/// What `config = ...` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a library benchmark",
    label = "expected a `LibraryBenchmarkConfig`",
    note = "write it as in `config = LibraryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoConfig {
    /// The configuration.
    fn into_config(self) -> LibraryBenchmarkConfig;
}

#[diagnostic::do_not_recommend]
impl<T> IntoConfig for T
where
    LibraryBenchmarkConfig: From<T>,
{
    fn into_config(self) -> LibraryBenchmarkConfig {
        self.into()
    }
}

/// The value of a `config = ...`.
pub fn config(config: impl IntoConfig) -> LibraryBenchmarkConfig {
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
