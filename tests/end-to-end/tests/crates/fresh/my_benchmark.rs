//! The benchmark file of a fresh crate: one benchmark of each kind that counts exactly.

#![deny(warnings)]

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn fibonacci(n: u64) -> u64 {
    if n < 2 {
        1
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

fn descending(length: u32) -> Vec<u32> {
    (0..length).rev().collect()
}

#[library_benchmark]
fn empty() {}

#[library_benchmark]
fn empty_too() {}

#[library_benchmark]
#[benches::of(1, 20)]
fn recursive(n: u64) -> u64 {
    fibonacci(n)
}

/// Has a name that is a keyword, but not in the edition of this crate.
#[library_benchmark(setup = descending)]
#[bench::ten(10)]
fn gen(numbers: Vec<u32>) -> u32 {
    numbers.iter().sum()
}

#[library_benchmark(setup = descending)]
#[bench::hundred(100)]
fn sort(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort();
    numbers
}

/// Has a parameter with the function's name.
#[library_benchmark]
#[bench::four([1, 2, 3, 4])]
fn array<T: Copy, const N: usize>(array: [T; N]) -> Vec<T> {
    array.to_vec()
}

#[library_benchmark]
#[bench::number(42)]
fn generic<T: ToString>(value: T) -> String {
    value.to_string()
}

library_benchmark_group!(
    name = group;
    benchmarks = empty, empty_too, recursive, gen, sort, array, generic
);

main!(library_benchmark_groups = group);
