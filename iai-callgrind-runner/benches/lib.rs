//! Benchmarks of the runner, which are in `parsers.rs`.
