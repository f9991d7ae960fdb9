//! Benchmarks that count instead of timing.

#[cfg(feature = "benchmark")]
mod client_requests;
#[cfg(feature = "benchmark")]
mod harness;
#[cfg(feature = "benchmark")]
mod launch;
#[cfg(feature = "benchmark")]
mod lower;
#[cfg(feature = "benchmark")]
mod region;
#[cfg(feature = "benchmark")]
mod serve;
#[cfg(feature = "benchmark")]
mod suite;

#[cfg(feature = "benchmark")]
pub use iai_callgrind_macros::{library_benchmark, library_benchmark_group, main};

/// What the macros' output refers to. Not part of the public interface.
#[cfg(feature = "benchmark")]
#[doc(hidden)]
pub mod __internal {
    pub use crate::harness::main;
    pub use crate::region::Region;
    pub use crate::suite::{Case, Function, Group, LibraryBenchmark, LibraryBenchmarkGroup, Suite};
}
