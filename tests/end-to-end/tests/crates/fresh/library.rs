//! The benchmarks of functions of a library. The test adds more of them at marked places.

use fresh_library as library;
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

//+ before

#[library_benchmark]
#[bench::five(5)]
#[bench::fifteen(15)]
fn fibonacci(n: u64) -> u64 {
    library::fibonacci(n)
}

#[library_benchmark(setup = library::descending)]
#[bench::hundred(100)]
fn bubble_sort(numbers: Vec<u32>) -> Vec<u32> {
    library::bubble_sort(numbers)
}

//+ between

#[library_benchmark]
#[bench::hundred(100)]
fn string(last: u32) -> String {
    library::count_up(last)
}

/// Returns memory of its own, because other constants would move a constant.
fn bytes() -> &'static [u8] {
    vec![7; 1024].leak()
}

#[library_benchmark(setup = bytes)]
fn copy(bytes: &'static [u8]) -> Vec<u8> {
    library::copy(bytes)
}

//+ after

library_benchmark_group!(
    name = group;
    benchmarks = fibonacci, bubble_sort, string, copy
);

main!(library_benchmark_groups = group);
