//! The benchmarks of `order.rs` in the opposite order.

mod workloads;

use std::collections::BTreeMap;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
#[bench::kilobyte(&[7; 1024])]
fn copy(bytes: &[u8]) -> Vec<u8> {
    workloads::copy(bytes)
}

#[library_benchmark]
#[bench::pangram("the quick brown fox jumps over the lazy dog")]
fn tree(words: &'static str) -> BTreeMap<&'static str, usize> {
    workloads::index(words)
}

#[library_benchmark]
#[bench::hundred(100)]
fn string(last: u32) -> String {
    workloads::count_up(last)
}

#[library_benchmark(setup = workloads::descending)]
#[bench::thousand(1000)]
fn standard_sort(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

#[library_benchmark(setup = workloads::descending)]
#[bench::hundred(100)]
#[bench::ten(10)]
fn bubble_sort(numbers: Vec<u32>) -> Vec<u32> {
    workloads::bubble_sort(numbers)
}

#[library_benchmark]
#[bench::fifteen(15)]
#[bench::five(5)]
fn fibonacci(n: u64) -> u64 {
    workloads::fibonacci(n)
}

library_benchmark_group!(
    name = texts;
    benchmarks = copy, tree, string
);

library_benchmark_group!(
    name = numbers;
    benchmarks = standard_sort, bubble_sort, fibonacci
);

main!(library_benchmark_groups = texts, numbers);
