//! Counts the benchmarks of a [divan](https://docs.rs/divan/0.1) file, without a change of the file.
//!
//! A line in `Cargo.toml` puts this crate in divan's place:
//!
//! ```toml
//! [dev-dependencies]
//! divan = { package = "iai-callgrind-divan", version = "1" }
//! ```
//!
//! `cargo bench` then counts each benchmark once under Valgrind, as if it were a `#[library_benchmark]` of
//! [iai-callgrind](https://docs.rs/iai-callgrind): with its comparisons, baselines, limits, reports and tools. The one call
//! of the routine counts: the inputs of [`Bencher::with_inputs`] are made outside, and results are dropped outside.
//!
//! ```
//! extern crate iai_callgrind_divan as divan;
//!
//! use divan::{Bencher, black_box};
//!
//! #[divan::bench(args = [10, 20])]
//! fn fibonacci(n: u64) -> u64 {
//!     if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
//! }
//!
//! #[divan::bench(types = [Vec<u8>, String])]
//! fn default<T: Default>() -> T {
//!     T::default()
//! }
//!
//! #[divan::bench]
//! fn sort(bencher: Bencher) {
//!     bencher.with_inputs(|| vec![3, 1, 2]).bench_refs(|numbers| numbers.sort());
//! }
//!
//! fn main() {
//!     divan::main();
//! }
//! ```
//!
//! # Cargo features
//!
//! - `time`: the real divan in this crate's place.
//! - `system_surroundings`: see iai-callgrind. Counts can differ from run to run with it.
//! - The features of divan have no effect on counts.

#![allow(
    clippy::must_use_candidate,
    clippy::needless_pass_by_value,
    reason = "the interface is divan's"
)]

#[cfg(feature = "time")]
pub use divan::*;

#[cfg(not(feature = "time"))]
mod alloc;
#[cfg(not(feature = "time"))]
mod arguments;
#[cfg(not(feature = "time"))]
mod bencher;
#[cfg(not(feature = "time"))]
pub mod counter;
#[cfg(not(feature = "time"))]
mod divan;
#[cfg(not(feature = "time"))]
mod options;
#[cfg(not(feature = "time"))]
mod registry;
#[cfg(not(feature = "time"))]
mod throughput;
#[cfg(not(feature = "time"))]
mod walk;

#[cfg(not(feature = "time"))]
pub use self::{alloc::AllocProfiler, bencher::Bencher, divan::Divan};
#[cfg(not(feature = "time"))]
pub use iai_callgrind_divan_macros::{bench, bench_group};
/// Reports a named value of the running benchmark. With the feature `time` nothing happens.
pub use iai_callgrind_harness::counter;
#[cfg(not(feature = "time"))]
pub use std::hint::black_box;

/// Everything that most files import.
#[cfg(not(feature = "time"))]
pub mod prelude {
    pub use crate::{AllocProfiler, Bencher, Divan, bench, bench_group, black_box, black_box_drop};
}

/// Runs the benchmarks of the executable as the command line says.
#[cfg(not(feature = "time"))]
pub fn main() {
    Divan::from_args().main();
}

/// Drops a value that the compiler does not know.
#[cfg(not(feature = "time"))]
pub fn black_box_drop<T>(dummy: T) {
    drop(black_box(dummy));
}

/// Everything that expansions of macros name. Not part of the public interface.
#[cfg(not(feature = "time"))]
#[doc(hidden)]
pub mod __private {
    pub use iai_callgrind_harness::__private::{page_starts, table, text};
    pub use inventory::submit;

    pub use crate::options::Options;
    pub use crate::registry::{
        Argument, Arguments, Benchmark, Cases, DebugLabel, Entry, Group, Instance, Label,
        Registered, Target, TextLabel,
    };
}
