//! A file without benchmarks.

iai_callgrind::main!();
