//! A benchmark that panics between two that don't.

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn good_before() {}

#[library_benchmark]
#[bench::always(0)]
fn panics(divisor: u64) -> u64 {
    1 / divisor
}

#[library_benchmark]
fn good_after() {
    println!("the last benchmark runs");
}

library_benchmark_group!(name = group; benchmarks = good_before, panics, good_after);

main!(library_benchmark_groups = group);
