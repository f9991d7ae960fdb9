//! Traits and functions around the user's expressions, for error messages in the user's terms.

use iai_callgrind_plan as plan;
use iai_callgrind_plan::metric::MetricKind;

use crate::config::{BinaryBenchmarkConfig, LibraryBenchmarkConfig, set_limit};
use crate::message;

/// Value of a `config = ...` of library benchmarks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a library benchmark",
    label = "expected a `LibraryBenchmarkConfig`",
    note = "write it as in `config = LibraryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoLibraryConfig {
    /// Converts to the plan's configuration.
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

/// Converts the value of a `config = ...` of library benchmarks.
pub fn library_config(config: impl IntoLibraryConfig) -> plan::Config {
    config.into_config()
}

/// Value of a `config = ...` of binary benchmarks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a binary benchmark",
    label = "expected a `BinaryBenchmarkConfig`",
    note = "write it as in `config = BinaryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoBinaryConfig {
    /// Converts to the plan's configuration.
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

/// Converts the value of a `config = ...` of binary benchmarks.
pub fn binary_config(config: impl IntoBinaryConfig) -> plan::Config {
    config.into_config()
}

/// Value of a `throughput = ...`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a throughput",
    label = "expected a `Throughput`",
    note = "write it as in `throughput = Throughput::Bytes(1024)`, or a closure that returns it, as in \
            `throughput = |text: &str| Throughput::Bytes(text.len() as u64)`"
)]
pub trait IntoThroughput {
    /// Converts to the plan's throughput.
    fn into_throughput(self) -> plan::Throughput;
}

impl IntoThroughput for plan::Throughput {
    fn into_throughput(self) -> plan::Throughput {
        self
    }
}

/// Converts the value of a `throughput = ...`.
pub fn throughput(throughput: impl IntoThroughput) -> plan::Throughput {
    throughput.into_throughput()
}

/// Value of a `size = ...`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of an input",
    label = "expected an integer",
    note = "write it as in `size = 1024`, or a closure that returns it, as in `size = |n| *n` or \
            `size = |text: &str| text.len()`"
)]
pub trait IntoSize {
    /// Converts to the plan's type. A number out of its range becomes the nearest one.
    fn into_size(self) -> i64;
}

/// Implements [`IntoSize`] for types of integers.
macro_rules! into_size {
    ($($type:ty),+) => {
        $(
            impl IntoSize for $type {
                fn into_size(self) -> i64 {
                    i64::try_from(self).unwrap_or(i64::MAX)
                }
            }
        )+
    };
}

into_size!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, isize);

impl IntoSize for i128 {
    fn into_size(self) -> i64 {
        let limit = if self < 0 { i64::MIN } else { i64::MAX };
        i64::try_from(self).unwrap_or(limit)
    }
}

/// Converts the value of a `size = ...`.
pub fn size(size: impl IntoSize) -> i64 {
    size.into_size()
}

/// Value of a `per_element = ...`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a percentage",
    label = "expected a number",
    note = "write it as in `per_element = 2.5` for an increase of up to 2.5 % per element"
)]
pub trait IntoPercentage {
    /// Converts to the plan's percentage.
    fn into_percentage(self) -> plan::Percentage;
}

impl IntoPercentage for f64 {
    fn into_percentage(self) -> plan::Percentage {
        self.into()
    }
}

// No other integers, so that the compiler can infer the type of a number
impl IntoPercentage for i32 {
    fn into_percentage(self) -> plan::Percentage {
        f64::from(self).into()
    }
}

/// Returns the configuration with a `complexity = ...` as the limit of the instructions.
#[must_use]
pub fn with_complexity(mut config: plan::Config, class: plan::Complexity) -> plan::Config {
    set_limit(&mut config.complexity, MetricKind::Ir, class);
    config
}

/// Returns the configuration with a `per_element = ...` as the limit of the instructions.
#[must_use]
pub fn with_per_element(mut config: plan::Config, percentage: impl IntoPercentage) -> plan::Config {
    set_limit(&mut config.per_element, MetricKind::Ir, percentage.into_percentage());
    config
}

/// Value of a `config = ...` of a file that lists no groups, and can have both kinds of benchmarks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the configuration of a benchmark file",
    label = "expected a `LibraryBenchmarkConfig` or a `BinaryBenchmarkConfig`",
    note = "write it as in `config = LibraryBenchmarkConfig::default().env(\"NAME\", \"value\")`"
)]
pub trait IntoFileConfig {
    /// Converts to the plan's configuration.
    fn into_config(self) -> plan::Config;
}

/// Implements [`IntoFileConfig`] for a type of configuration, and for the reference that its methods return.
macro_rules! into_file_config {
    ($config:ty) => {
        into_file_config!($config: $config, &mut $config);
    };
    ($config:ty: $($type:ty),+) => {
        $(
            impl IntoFileConfig for $type {
                fn into_config(self) -> plan::Config {
                    <$config>::from(self).into()
                }
            }
        )+
    };
}

into_file_config!(LibraryBenchmarkConfig);
into_file_config!(BinaryBenchmarkConfig);

/// Converts the value of a `config = ...` of a file that lists no groups.
pub fn file_config(config: impl IntoFileConfig) -> plan::Config {
    config.into_config()
}

/// Type of an argument from a line of a file.
#[diagnostic::on_unimplemented(
    message = "a line of a file can't become `{Self}`",
    label = "the lines are text",
    note = "a line is converted with `From<&'static str>`; write a `setup` that converts the line, as in \
            `setup = |line: &str| line.parse::<u64>().unwrap()`"
)]
pub trait FromLine {
    /// Converts a line to the type that the benchmark function, or its setup, takes.
    fn from_line(line: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromLine for T {
    fn from_line(line: &'static str) -> Self {
        line.into()
    }
}

/// Returns the number of items. The second argument gives the items their type.
pub fn count<I: IntoIterator>(items: I, _: impl FnOnce(I::Item)) -> usize {
    items.into_iter().count()
}

/// Returns the item with this index.
///
/// # Panics
///
/// If there is no such item, although there was one when the items were counted.
#[track_caller]
pub fn item<I: IntoIterator>(items: I, index: usize) -> I::Item {
    let Some(item) = items.into_iter().nth(index) else {
        panic!("{}", message::missing_item(index));
    };
    item
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Complexity;
    use iai_callgrind_plan::metric::tool::{DhatMetric, EventKind};

    use super::*;

    #[test]
    fn limits_replace_those_of_the_same_metric() {
        let mut config = LibraryBenchmarkConfig::default();
        config.complexity(EventKind::Ir, Complexity::NCubed).per_element(EventKind::Ir, 1.0);
        config.complexity(DhatMetric::TotalBytes, Complexity::N).per_element(EventKind::Dr, 3.0);
        config.complexity(EventKind::Ir, Complexity::NSquared);
        let config = with_complexity(library_config(&mut config), Complexity::NLogN);
        let config = with_per_element(config, 2);
        let expected =
            [(MetricKind::TotalBytes, Complexity::N), (MetricKind::Ir, Complexity::NLogN)];
        assert_eq!(config.complexity, expected);
        let percentages = [(MetricKind::Dr, 3.0.into()), (MetricKind::Ir, 2.0.into())];
        assert_eq!(config.per_element, percentages);
        assert_eq!(with_per_element(config, -0.5).per_element[1], (MetricKind::Ir, (-0.5).into()));
    }

    #[test]
    fn a_size_of_any_type_is_the_nearest_one() {
        assert_eq!([size(7_u8), size(-1_i8), size(5_usize), size(0)], [7, -1, 5, 0]);
        assert_eq!([size(u64::MAX), size(u128::MAX), size(i128::MAX)], [i64::MAX; 3]);
        assert_eq!([size(i64::MIN), size(i128::MIN)], [i64::MIN; 2]);
    }
}
