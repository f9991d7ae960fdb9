//! A file of Criterion, whose benchmarks run once as with `cargo test --benches`.

// The real Criterion has no old interface and takes only measurements of its own
#[cfg(not(feature = "time"))]
include!("test_mode/file.rs");

#[cfg(feature = "time")]
fn main() {}
