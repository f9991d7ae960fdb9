//! Benchmarks of the functions.

use iai_callgrind::prelude::*;
use sample::shapes::{Shape, Square, Triangle};
use sample::{generated, numbers, shapes, tables, tasks, text, threads};

const TEXT: &str = "the quick brown fox, jumps over, the lazy dog, and The cat and, the fox";
const WORDS: [&str; 9] = ["one", "two", "three", "two", "four", "one", "seven", "eleven", "a"];
const FIELDS: &str = "1,2,x;17, 4711,;;99,0,abc,5";

fn sequence() -> &'static [u32] {
    (1..40).map(|number| number * 37 % 101).collect::<Vec<_>>().leak()
}

#[library_benchmark(setup = sequence)]
fn squares(values: &[u32]) -> u64 {
    numbers::squares(values)
}

#[library_benchmark(setup = sequence)]
fn mixed(values: &[u32]) -> u32 {
    numbers::mixed(values)
}

#[library_benchmark]
#[bench::long(12_345_678_901)]
fn digits(number: u64) -> u64 {
    numbers::digits(number)
}

#[library_benchmark(setup = sequence)]
fn products(values: &[u32]) -> u64 {
    numbers::products(values)
}

#[library_benchmark(setup = sequence)]
fn divisible(values: &[u32]) -> usize {
    numbers::divisible(&values[..9], &values[9..18])
}

#[library_benchmark(setup = sequence)]
fn odd(values: &[u32]) -> usize {
    numbers::odd(values)
}

fn all_shapes() -> Vec<Box<dyn Shape>> {
    (1..20).flat_map(|n| [Box::new(Square(n)) as Box<dyn Shape>, Box::new(Triangle(n, 2))]).collect()
}

#[library_benchmark(setup = all_shapes)]
fn areas(all: Vec<Box<dyn Shape>>) -> u64 {
    let sum = shapes::areas(&all);
    std::mem::forget(all);
    sum
}

#[library_benchmark]
fn different() -> usize {
    tables::different(&WORDS)
}

#[library_benchmark]
fn positions() -> Vec<(usize, &'static str)> {
    tables::positions(&WORDS)
}

#[library_benchmark]
fn lengths() -> usize {
    tasks::wait(tasks::lengths(&WORDS))
}

#[library_benchmark]
fn most_frequent() -> Vec<(String, usize)> {
    text::most_frequent(TEXT)
}

#[library_benchmark]
fn sorted() -> Vec<&'static str> {
    text::sorted(TEXT.split(' ').collect())
}

#[library_benchmark]
#[bench::some(&[7, 4711, 42, 1_000_000])]
fn rendered(values: &[u32]) -> String {
    text::rendered(values)
}

#[library_benchmark]
fn fields() -> u64 {
    text::fields(FIELDS)
}

#[library_benchmark]
fn reversed() -> String {
    text::reversed(TEXT)
}

fn long_sequence() -> Vec<u64> {
    (0..200).collect()
}

#[library_benchmark(setup = long_sequence)]
fn parallel(values: Vec<u64>) -> u64 {
    let sum = threads::parallel(&values);
    std::mem::forget(values);
    sum
}

#[library_benchmark(setup = sequence)]
fn all_steps(values: &[u32]) -> u32 {
    generated::all_steps(values)
}

#[library_benchmark(setup = sequence)]
fn changed(values: &[u32]) -> u32 {
    generated::changed(values)
}

main!();
