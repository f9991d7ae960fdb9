//! Benchmarks that count instead of timing: exact, repeatable numbers from Valgrind.
//!
//! ```
//! use iai_callgrind::prelude::*;
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
//! fn bench_fibonacci(n: u64) -> u64 {
//!     fibonacci(n)
//! }
//!
//! main!();
//! ```
//!
//! `cargo bench` prints:
//!
//! ```text
//! my_benchmark::functions::bench_fibonacci short:10
//!   Instructions:                1728|N/A             (*********)
//!   L1 Hits:                     2344|N/A             (*********)
//!   L2 Hits:                        4|N/A             (*********)
//!   RAM Hits:                       2|N/A             (*********)
//!   Total read+write:            2350|N/A             (*********)
//!   Estimated Cycles:            2434|N/A             (*********)
//! ```
//!
//! A benchmark runs once under Valgrind. The counts are the same on a noisy CI machine as on a desktop, so
//! a change of one instruction is visible. Each run is compared with the previous run or with a baseline.
//!
//! # Setup
//!
//! Install Valgrind, and add the benchmark file to `Cargo.toml`, next to the dependency:
//!
//! ```toml
//! [[bench]]
//! name = "my_benchmark"
//! harness = false
//! ```
//!
//! The file itself is `benches/my_benchmark.rs`. `cargo bench` builds or installs the program that runs
//! Valgrind, `iai-callgrind-runner`, on first use.
//!
//! # Overview
//!
//! - [`library_benchmark`] makes a function a benchmark, with its arguments, setup and teardown.
//! - [`binary_benchmark`] makes benchmarks of the commands that a function returns.
//! - [`main`](macro@main) declares the `main` function of a file, which runs all its benchmarks or the groups that it lists.
//! - [`library_benchmark_group`] and [`binary_benchmark_group`] list the functions of a group.
//! - [`LibraryBenchmarkConfig`] and [`BinaryBenchmarkConfig`] configure a file, a group, a function or a
//!   case: tools, limits, flamegraphs, the environment.
//! - [`prelude`] exports the names that most benchmark files need.
//! - `client_requests` is a module with the cargo feature of the same name. It lets a program communicate
//!   with Valgrind, for instance to measure a part of a function.
//!
//! # Measurement
//!
//! The counts include the instructions of the function and of its calls, and those of threads and
//! processes that work for it while it runs. Setup, teardown and the code of this crate are not included:
//! an empty function counts one instruction, its `ret`.
//!
//! # Features
//!
//! - `benchmark` (default): the macros and the harness.
//! - `system_surroundings`: random numbers, clocks, the number of CPUs and the order of threads are those of the system.
//!   Without it, on Linux with glibc on x86-64 and aarch64, they are the same in every run and on every machine. For this,
//!   the benchmark executable defines functions of the C library, such as `getrandom`, `syscall`, `clock_gettime`,
//!   `pthread_create` and `fork`. Switch the feature on if another crate defines one of them too. Benchmarks with
//!   threads or random numbers, such as those of `HashMap`, then have different counts in each run, and each run prints
//!   a note.
//! - `cachegrind`: cachegrind is the default tool instead of callgrind.
//! - `client_requests` and `client_requests_defs`: the module `client_requests`. Both work without
//!   `benchmark` and without the standard library.
//!
//! # Renamed dependencies
//!
//! The macros find a renamed dependency (`bench = { package = "iai-callgrind", .. }`) by themselves. For a
//! re-export, pass the path of this crate with the parameter `crate`:
//!
//! ```
//! # mod tools { pub use iai_callgrind; }
//! # use iai_callgrind::{library_benchmark, library_benchmark_group, main};
//! #[library_benchmark(crate = tools::iai_callgrind)]
//! fn nothing() {}
//!
//! library_benchmark_group!(crate = tools::iai_callgrind; name = group; benchmarks = nothing);
//!
//! main!(crate = tools::iai_callgrind; library_benchmark_groups = group);
//! ```

#![cfg_attr(not(feature = "benchmark"), no_std)]

#[cfg(feature = "benchmark")]
pub mod prelude;

#[doc(inline)]
pub use iai_callgrind_harness::*;
#[cfg(feature = "benchmark")]
pub use iai_callgrind_macros::{
    binary_benchmark, binary_benchmark_group, library_benchmark, library_benchmark_group, main,
};

#[cfg(feature = "criterion")]
pub use iai_callgrind_macros::criterion;

/// Converts a function with `#[binary_benchmark]` to a [`BinaryBenchmark`], with its cases.
///
/// A closure that fills a group can add such functions next to benchmarks that it builds itself.
///
/// ```
/// # use iai_callgrind::{binary_benchmark_group, main};
/// use iai_callgrind::{
///     Bench, BinaryBenchmark, BinaryBenchmarkGroup, Command, binary_benchmark,
///     binary_benchmark_attribute,
/// };
///
/// #[binary_benchmark]
/// #[bench::hello("hello")]
/// fn echo(text: &str) -> Command {
///     Command::new("echo").arg(text).build()
/// }
///
/// binary_benchmark_group!(
///     name = programs;
///     benchmarks = |group: &mut BinaryBenchmarkGroup| {
///         group.binary_benchmark(binary_benchmark_attribute!(echo)).binary_benchmark(
///             BinaryBenchmark::new("ls").bench(Bench::new("all").command(Command::new("ls").arg("-a"))),
///         );
///     }
/// );
///
/// main!(binary_benchmark_groups = programs);
/// ```
#[cfg(feature = "benchmark")]
#[macro_export]
macro_rules! binary_benchmark_attribute {
    ($function:path) => {
        $crate::__private::declared(
            &<$crate::__private::marker!($function) as $crate::__private::BinaryBenchmarkFunction>::FUNCTION,
        )
    };
}

/// Everything that expansions of macros name. Not part of the public interface.
#[cfg(feature = "benchmark")]
#[doc(hidden)]
pub mod __private {
    pub use iai_callgrind_harness::__private::*;
    pub use iai_callgrind_macros::{library_benchmark, library_benchmark_group, marker};
}
