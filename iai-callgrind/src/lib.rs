//! Benchmarks that count instead of timing.
//!
//! A benchmark runs once under Valgrind, and what it did is counted: instructions, cache accesses, an
//! estimate of the cycles. The counts are the same on a noisy machine of a CI service as on a desk, so
//! that a change of one instruction is visible. Each run is compared with the one before, or with a
//! baseline that was saved.
//!
//! # A benchmark
//!
//! Add this to `Cargo.toml`, next to the dependency:
//!
//! ```toml
//! [[bench]]
//! name = "my_benchmark"
//! harness = false
//! ```
//!
//! and this to `benches/my_benchmark.rs`:
//!
//! ```
//! use iai_callgrind::{library_benchmark, library_benchmark_group, main};
//! use std::hint::black_box;
//!
//! fn fibonacci(n: u64) -> u64 {
//!     match n {
//!         0 | 1 => 1,
//!         n => fibonacci(n - 1) + fibonacci(n - 2),
//!     }
//! }
//!
//! #[library_benchmark]
//! #[bench::short(10)]
//! #[bench::long(30)]
//! fn bench_fibonacci(value: u64) -> u64 {
//!     black_box(fibonacci(value))
//! }
//!
//! library_benchmark_group!(name = fibonacci_group; benchmarks = bench_fibonacci);
//!
//! main!(library_benchmark_groups = fibonacci_group);
//! ```
//!
//! Then run `cargo bench --bench my_benchmark`. Valgrind has to be installed; the program that runs it,
//! `iai-callgrind-runner`, is built or installed when it is first needed.
//!
//! - [`library_benchmark`] makes a function a benchmark, with its arguments, set-up and tear-down.
//! - [`library_benchmark_group`] lists the functions of a group.
//! - [`main`] lists the groups of a file and makes it a program.
//! - `client_requests`, a module behind the feature of that name, lets a program talk to Valgrind, to
//!   measure a part of a function for example.
//!
//! # What counts
//!
//! The instructions of the function and of all that it calls, and those of threads and processes that
//! work for it while it runs. Set-up, tear-down and this crate's own code don't count: an empty
//! function counts one instruction, its `ret`.

#![cfg_attr(not(feature = "benchmark"), no_std)]

#[cfg(any(feature = "benchmark", feature = "client_requests"))]
mod arch;
#[cfg(feature = "benchmark")]
mod binary;
#[cfg(feature = "client_requests_defs")]
pub mod client_requests;
#[cfg(feature = "benchmark")]
mod config;
#[cfg(feature = "benchmark")]
mod harness;
#[cfg(feature = "benchmark")]
mod inputs;
#[cfg(feature = "benchmark")]
mod launch;
#[cfg(feature = "benchmark")]
mod layout;
#[cfg(feature = "benchmark")]
mod lower;
#[cfg(feature = "benchmark")]
mod own_requests;
#[cfg(all(feature = "benchmark", target_os = "linux"))]
mod random;
#[cfg(feature = "benchmark")]
mod region;
#[cfg(feature = "benchmark")]
mod serve;
#[cfg(feature = "benchmark")]
mod signals;
#[cfg(feature = "benchmark")]
mod suite;
#[cfg(feature = "benchmark")]
mod test_mode;

#[cfg(feature = "benchmark")]
pub use binary::{
    Arg, Bench, BenchmarkId, BinaryBenchmark, BinaryBenchmarkGroup, Command, Delay, DelayKind,
    Options, Run, Stdin, Stdio,
};
#[cfg(feature = "benchmark")]
pub use config::{
    Bbv, BinaryBenchmarkConfig, Cachegrind, Callgrind, Dhat, Drd, Fixtures, FlamegraphConfig,
    Helgrind, LibraryBenchmarkConfig, Limit, Massif, Memcheck, OutputFormat, RegressionConfig,
    Sandbox, Tool,
};
#[cfg(feature = "benchmark")]
pub use iai_callgrind_macros::{
    binary_benchmark, binary_benchmark_group, library_benchmark, library_benchmark_group, main,
};
#[cfg(feature = "benchmark")]
pub use iai_callgrind_plan::metric::tool::{
    BbvMetric, BbvMetrics, CachegrindMetric, CachegrindMetrics, CallgrindMetrics, DhatMetric,
    DhatMetrics, ErrorMetric, ErrorMetrics, EventKind, MassifMetric, MassifMetrics,
};
#[cfg(feature = "benchmark")]
pub use iai_callgrind_plan::{Direction, EntryPoint, ExitWith, FlamegraphKind, Pipe, ValgrindTool};

/// What the macros' output refers to. Not part of the public interface.
#[cfg(feature = "benchmark")]
#[doc(hidden)]
pub mod __internal {
    pub use iai_callgrind_plan::HookKind;

    pub use crate::harness::main;
    pub use crate::inputs::{
        FromLine, IntoBinaryConfig, IntoLibraryConfig, binary_config, count, item, library_config,
    };
    pub use crate::region::Region;
    pub use crate::suite::{
        BinaryBenchmarkFunction, BinaryCase, BinaryFunction, Case, Config, DeclaredBinaryGroup,
        Filled, Function, Functions, Group, Hooks, ItemHook, Items, LibraryBenchmark,
        LibraryBenchmarkGroup, Suite,
    };

    /// What closures that fill a group may name without importing it.
    pub mod names {
        pub use crate::BinaryBenchmarkGroup;
    }
}
