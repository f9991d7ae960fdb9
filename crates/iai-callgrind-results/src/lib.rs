//! Benchmarks with their resolved options, and their results: measurements under each tool, compared with old ones, with
//! growth and explanations.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod benchmark;
mod error;
mod explanation;
mod growth;
mod mode;
mod options;
mod result;
mod samples;
pub mod snapshot;
mod stored_explainer;
mod summary;
pub mod values;

pub use self::benchmark::{Benchmark, BinaryCase, CurvePlace, Subject, function_and_input};
pub use self::error::{Error, Result};
pub use self::explanation::{
    ChangedFile, ChangedFiles, Explained, Explanation, NoExplanation, ResultTable, Side, Sources,
    explain,
};
pub use self::growth::{
    Collector, ComparedResult, CurveCrossover, CurvePoint, Growth, MetricGrowth, ToolGrowth,
};
pub use self::mode::Mode;
pub use self::options::error::{COUNTER_NAME, ConfigurationError};
pub use self::options::{
    LONGEST_DESCRIPTION, Options, PlaceOptions, ToolOptions, with_command_line,
};
pub use self::result::{
    BenchmarkResult, ProcessResult, RunId, Spread, ToolResult, Totals, compare_processes,
};
pub use self::samples::{Samples, Seed};
pub use self::snapshot::error::SnapshotError;
pub use self::stored_explainer::StoredExplainer;
pub use self::summary::summary_value;
