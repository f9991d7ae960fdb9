//! Parsers of values that users write on the command line and in files.

mod commands;
mod durations;
mod error;
mod metrics;
mod numbers;
mod tools;

pub use self::commands::{parse_command, parse_exit};
pub use self::durations::{parse_change, parse_duration, parse_seconds};
pub use self::error::MetricError;
pub use self::metrics::{
    MetricLimits, group_names, metric_names, parse_counter, parse_counter_limits, parse_limits,
    parse_metrics, parse_percentage, parse_regression,
};
pub use self::numbers::{number_in, parse_number_or};
pub use self::tools::{parse_flamegraph_kind, parse_tool, tool_names};
