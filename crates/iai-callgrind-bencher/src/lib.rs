//! Counts the benchmarks of a file of [bencher](https://docs.rs/bencher), without a change of the file, and those of
//! libtest's `#[bench]`.
//!
//! A line in `Cargo.toml` puts this crate in bencher's place:
//!
//! ```toml
//! [dev-dependencies]
//! bencher = { package = "iai-callgrind-bencher", version = "1" }
//! ```
//!
//! `cargo bench` then counts each benchmark once under Valgrind, as if it were a `#[library_benchmark]` of
//! [iai-callgrind](https://docs.rs/iai-callgrind): with its comparisons, baselines, limits, reports and tools. The one call
//! of the closure counts, with the drop of what it returns.
//!
//! ```
//! use iai_callgrind_bencher as bencher;
//!
//! use bencher::{Bencher, benchmark_group, benchmark_main};
//!
//! fn sum(bench: &mut Bencher) {
//!     let numbers: Vec<u64> = (0..1000).collect();
//!     bench.iter(|| numbers.iter().sum::<u64>());
//!     bench.bytes = 8000;
//! }
//!
//! benchmark_group!(benches, sum);
//! benchmark_main!(benches);
//! ```
//!
//! # libtest
//!
//! A file for libtest's unstable benchmarks runs on stable Rust with three other lines: without `#![feature(test)]`, with
//! `#[macro_use] extern crate bencher as test;` in place of `extern crate test;`, and with `test::main!();` at the end.
//!
//! # Cargo features
//!
//! - `system_surroundings`: see iai-callgrind. Counts can differ from run to run with it.

#![allow(clippy::iter_not_returning_iterator, reason = "the interface is bencher's")]

mod bencher;
mod functions;
mod macros;
mod registry;

pub use std::hint::black_box;

pub use iai_callgrind_bencher_macros::bench;
/// Reports a named value of the running benchmark.
pub use iai_callgrind_harness::counter;

pub use self::bencher::Bencher;
pub use self::functions::TestFn::*;
pub use self::functions::{TDynBenchFn, TestDesc, TestDescAndFn, TestFn, TestName};

/// Everything that expansions of macros name. Not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use iai_callgrind_harness::__private::{
        Hooks, Libtest, Suite, main, needs_own_harness, page_starts, table, text,
    };
    pub use inventory::submit;

    pub use crate::functions::walk;
    pub use crate::registry::{Function, Registered, succeed, walk_registered};
    pub use crate::{
        __iai_callgrind_bencher_main as main_of_walk, __iai_callgrind_bencher_register as register,
    };
}
