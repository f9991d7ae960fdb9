//! Benchmarks of arrayvec.

use std::fmt::Write;
use std::hint::black_box;

use arrayvec::{ArrayString, ArrayVec};
use iai_callgrind::{library_benchmark, library_benchmark_group, main};

type Numbers = ArrayVec<u32, 64>;

fn numbers() -> Numbers {
    (0..48).collect()
}

#[library_benchmark]
fn push() -> Numbers {
    let mut vec = Numbers::new();
    for number in 0..64 {
        vec.push(black_box(number));
    }
    vec
}

#[library_benchmark(setup = numbers)]
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
fn extend_from_slice(mut vec: Numbers) -> bool {
    vec.try_extend_from_slice(black_box(&[1, 2, 3, 4, 5, 6, 7])).is_ok()
}

#[library_benchmark(setup = numbers)]
fn insert_and_remove(mut vec: Numbers) -> u32 {
    vec.insert(black_box(3), 7);
    vec.remove(black_box(20)) + vec.swap_remove(black_box(5))
}

#[library_benchmark(setup = numbers)]
fn drain(mut vec: Numbers) -> u32 {
    vec.drain(black_box(4)..black_box(30)).sum()
}

#[library_benchmark(setup = numbers)]
fn retain(mut vec: Numbers) -> usize {
    vec.retain(|number| *number % 3 == 0);
    vec.len()
}

#[library_benchmark(setup = numbers)]
fn clone(vec: Numbers) -> Numbers {
    vec.clone()
}

fn strings() -> ArrayVec<String, 8> {
    ["a", "bc", "def", "ghij"].iter().map(|text| (*text).to_owned()).collect()
}

#[library_benchmark(setup = strings)]
fn clone_strings(vec: ArrayVec<String, 8>) -> usize {
    vec.clone().iter().map(String::len).sum()
}

#[library_benchmark(setup = strings)]
fn into_iter(vec: ArrayVec<String, 8>) -> usize {
    vec.into_iter().map(|text| text.len()).sum()
}

#[library_benchmark]
fn push_str() -> ArrayString<32> {
    let mut text = ArrayString::new();
    text.push_str(black_box("a text of some"));
    text.push(black_box('é'));
    text.push_str(black_box(" characters"));
    text
}

#[library_benchmark]
fn write() -> ArrayString<32> {
    let mut text = ArrayString::new();
    write!(text, "{} and {}", black_box(12), black_box("twelve")).unwrap();
    text
}

library_benchmark_group!(
    name = all;
    benchmarks = push, pop, collect, extend_from_slice, insert_and_remove, drain, retain, clone, clone_strings,
        into_iter, push_str, write
);

main!(library_benchmark_groups = all);
