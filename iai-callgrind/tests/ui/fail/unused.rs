//! A benchmark that no group lists is one that was forgotten.

#![deny(dead_code)]

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
#[bench::id(1)]
fn forgotten(_: u64) {}

#[library_benchmark]
fn function() {}

library_benchmark_group!(name = group; benchmarks = function);

main!(library_benchmark_groups = group);
