//! Benchmarks that no group lists; `registered_twin.rs` lists the same functions.

use iai_callgrind::{LibraryBenchmarkConfig, main};

include!("registered/functions.rs");

main!(config = LibraryBenchmarkConfig::default());
