//! Benchmarks in a file of their own.

use iai_callgrind::library_benchmark;

use crate::workloads;

#[library_benchmark(setup = workloads::descending)]
#[bench::ten(10)]
pub(crate) fn bubble_sort(numbers: Vec<u32>) -> Vec<u32> {
    workloads::bubble_sort(numbers)
}

#[library_benchmark(setup = workloads::descending)]
#[bench::thousand(1000)]
pub(crate) fn standard_sort(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}
