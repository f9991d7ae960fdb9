//! The benchmarks of `criterion_file.rs` as library benchmarks.

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

use crate::workloads::{bubble_sort, count_up, descending, fibonacci, index};

#[library_benchmark]
fn nothing() {}

#[library_benchmark]
#[bench::small(5)]
#[bench::large(10)]
fn recursion(n: u64) -> u64 {
    fibonacci(n)
}

#[library_benchmark]
fn counting() {
    let _dropped = count_up(black_box(20));
}

#[library_benchmark]
fn counting_kept() -> String {
    count_up(black_box(20))
}

#[library_benchmark]
#[bench::ten(descending(10))]
fn sort(numbers: Vec<u32>) -> Vec<u32> {
    bubble_sort(numbers)
}

#[library_benchmark]
fn indexing() -> std::collections::BTreeMap<&'static str, usize> {
    index(black_box("a b c d"))
}

library_benchmark_group!(
    name = twins;
    benchmarks = nothing, recursion, counting, counting_kept, sort, indexing
);
main!(library_benchmark_groups = twins);
