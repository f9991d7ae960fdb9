//! Macros, builders and functions that most benchmark files need.
//!
//! ```
//! use iai_callgrind::prelude::*;
//!
//! #[library_benchmark]
//! #[bench::hundred(100)]
//! fn sum(end: u64) -> u64 {
//!     (0..black_box(end)).sum()
//! }
//!
//! library_benchmark_group!(name = sums; benchmarks = sum);
//!
//! main!(library_benchmark_groups = sums);
//! ```

pub use crate::{
    Arg, Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Callgrind, Command,
    Complexity, Dhat, EntryPoint, EventKind, ExitWith, Fixtures, FlamegraphConfig,
    LibraryBenchmarkConfig, OutputFormat, RegressionConfig, Run, Sandbox, SanitizeOutput,
    Throughput, Tool, ValgrindTool, binary_benchmark, binary_benchmark_group, black_box, counter,
    library_benchmark, library_benchmark_group, main,
};
