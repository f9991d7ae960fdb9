//! Benchmarks of smallvec.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use smallvec::SmallVec;

type Numbers = SmallVec<u32, 16>;

fn numbers(length: u32) -> Numbers {
    (0..length).collect()
}

#[library_benchmark]
#[bench::inline(12)]
#[bench::on_the_heap(100)]
fn push(length: u32) -> Numbers {
    let mut vec = Numbers::new();
    for number in 0..length {
        vec.push(black_box(number));
    }
    vec
}

#[library_benchmark(setup = numbers)]
#[bench::inline(12)]
fn pop(mut vec: Numbers) -> u32 {
    let mut sum = 0;
    while let Some(number) = vec.pop() {
        sum += number;
    }
    sum
}

#[library_benchmark]
fn collect() -> Numbers {
    black_box(0..60).filter(|number| number % 3 != 0).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::inline(8)]
#[bench::on_the_heap(40)]
fn extend_from_slice(mut vec: Numbers) -> Numbers {
    vec.extend_from_slice(black_box(&[1, 2, 3, 4, 5]));
    vec
}

#[library_benchmark(setup = numbers)]
#[bench::inline(12)]
fn insert_and_remove(mut vec: Numbers) -> u32 {
    vec.insert(black_box(3), 7);
    vec.remove(black_box(5)) + vec.swap_remove(black_box(2))
}

#[library_benchmark(setup = numbers)]
#[bench::on_the_heap(40)]
fn drain(mut vec: Numbers) -> u32 {
    vec.drain(black_box(4)..black_box(30)).sum()
}

#[library_benchmark(setup = numbers)]
#[bench::on_the_heap(40)]
fn retain(mut vec: Numbers) -> Numbers {
    vec.retain(|number| *number % 3 == 0);
    vec
}

fn strings() -> SmallVec<String, 8> {
    ["a", "bc", "def", "ghij"].iter().map(|text| (*text).to_owned()).collect()
}

#[library_benchmark(setup = strings)]
fn clone_strings(vec: SmallVec<String, 8>) -> usize {
    vec.clone().iter().map(String::len).sum()
}

#[library_benchmark(setup = strings)]
fn into_iter(vec: SmallVec<String, 8>) -> usize {
    vec.into_iter().map(|text| text.len()).sum()
}

library_benchmark_group!(
    name = all;
    benchmarks = push, pop, collect, extend_from_slice, insert_and_remove, drain, retain, clone_strings, into_iter
);

main!(library_benchmark_groups = all);
