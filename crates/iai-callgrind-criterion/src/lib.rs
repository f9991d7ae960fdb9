//! Counts the benchmarks of a [Criterion](https://bheisler.github.io/criterion.rs/book/) file, without a change of the
//! file.
//!
//! A line in `Cargo.toml` puts this crate in Criterion's place:
//!
//! ```toml
//! [dev-dependencies]
//! criterion = { package = "iai-callgrind-criterion", version = "1" }
//! ```
//!
//! `cargo bench` then counts each benchmark once under Valgrind, as if it were a `#[library_benchmark]` of
//! [iai-callgrind](https://docs.rs/iai-callgrind): with its comparisons, baselines, limits, reports and tools. The one call
//! of the routine counts: the setup of [`Bencher::iter_batched`] is outside, and so are the drops that Criterion does not
//! time.
//!
//! ```
//! use iai_callgrind_criterion as criterion;
//!
//! use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
//!
//! fn fibonacci(n: u64) -> u64 {
//!     if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
//! }
//!
//! fn benchmark(criterion: &mut Criterion) {
//!     let mut group = criterion.benchmark_group("fibonacci");
//!     for n in [10, 20] {
//!         group.bench_with_input(BenchmarkId::from_parameter(n), &n, |bencher, n| {
//!             bencher.iter(|| fibonacci(*n));
//!         });
//!     }
//!     group.finish();
//! }
//!
//! criterion_group!(benches, benchmark);
//! criterion_main!(benches);
//! ```
//!
//! # Cargo features
//!
//! - `time`: the real Criterion in this crate's place.
//! - `system_surroundings`: see iai-callgrind. Counts can differ from run to run with it.
//! - `profilers`: `--profile-time` runs the profiler of `Criterion::with_profiler`, whose type must implement this crate's
//!   trait [`profiler::Profiler`].
//! - `async_futures`, `async_smol`, `async_std`, `async_tokio`: the executors of `Bencher::to_async`.
//! - The other features of Criterion have no effect on counts.

#![allow(
    clippy::iter_not_returning_iterator,
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "the interface is Criterion's"
)]

#[cfg(feature = "time")]
pub use criterion::*;

#[cfg(not(feature = "time"))]
mod arguments;
#[cfg(all(not(feature = "time"), feature = "async"))]
mod async_bencher;
#[cfg(all(not(feature = "time"), feature = "async"))]
pub mod async_executor;
#[cfg(not(feature = "time"))]
mod bencher;
#[cfg(not(feature = "time"))]
mod criterion;
#[cfg(not(feature = "time"))]
mod group;
#[cfg(not(feature = "time"))]
mod id;
#[cfg(not(feature = "time"))]
mod macros;
#[cfg(not(feature = "time"))]
pub mod measurement;
#[cfg(not(feature = "time"))]
mod old_interface;
#[cfg(not(feature = "time"))]
pub mod profiler;
#[cfg(not(feature = "time"))]
mod settings;

#[cfg(all(not(feature = "time"), feature = "async"))]
pub use self::async_bencher::AsyncBencher;
#[cfg(not(feature = "time"))]
pub use self::{
    bencher::Bencher,
    criterion::Criterion,
    group::BenchmarkGroup,
    id::{BenchmarkId, IntoBenchmarkId},
    old_interface::{Benchmark, BenchmarkDefinition, Fun, ParameterizedBenchmark},
    settings::{AxisScale, Baseline, BatchSize, PlotConfiguration, PlottingBackend, SamplingMode},
};
/// Reports a named value of the running benchmark. With the feature `time` nothing happens.
pub use iai_callgrind_harness::counter;
#[cfg(not(feature = "time"))]
pub use iai_callgrind_plan::Throughput;
#[cfg(not(feature = "time"))]
pub use std::hint::black_box;

/// Everything that expansions of macros name. Not part of the public interface.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
pub mod __private {
    pub use iai_callgrind_harness::__private::{
        Hooks, Libtest, Suite, needs_own_harness, page_starts, table, text,
    };

    pub use crate::arguments::main;
}
