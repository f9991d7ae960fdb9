//! Cases from the lines of a file and from the items of an iterator.

use std::hint::black_box;
use std::path::PathBuf;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
#[benches::by_file(file = "benchmark-tests/benches/items/lines.txt")]
fn text(line: &str) -> usize {
    black_box(line).len()
}

#[library_benchmark]
#[benches::by_file(file = "benchmark-tests/benches/items/lines.txt")]
fn path(path: PathBuf) -> PathBuf {
    path
}

fn parse(line: &str) -> u64 {
    line.parse().expect("a number")
}

#[library_benchmark]
#[benches::by_file(file = "benchmark-tests/benches/items/numbers.txt", setup = parse)]
#[benches::closure(
    file = "benchmark-tests/benches/items/numbers.txt",
    setup = |line| line.trim().parse().expect("a number")
)]
#[benches::by_args(10, 2000)]
#[benches::by_iter(iter = [10, 2000])]
#[benches::empty(iter = Vec::new())]
fn sum_to(last: u64) -> u64 {
    (0..black_box(last)).fold(0, |sum, number| black_box(sum + number))
}

#[library_benchmark]
#[benches::by_args((3, "abc"), (0, ""))]
#[benches::by_iter(iter = ["abc", ""].map(|text| (text.len(), text)))]
fn split((at, text): (usize, &str)) -> (&str, &str) {
    text.split_at(black_box(at))
}

#[library_benchmark]
#[benches::by_args((3, "abc"), (0, ""))]
#[benches::by_iter(iter = ["abc", ""].map(|text| (text.len(), text)))]
#[bench::by_array(args = [3, "abc"])]
fn split_at(at: usize, text: &str) -> (&str, &str) {
    text.split_at(black_box(at))
}

#[library_benchmark]
#[benches::by_consts(args = [0], consts = [10, 2000])]
fn sum_to_constant<const LAST: u64>(first: u64) -> u64 {
    (first..black_box(LAST)).fold(0, |sum, number| black_box(sum + number))
}

/// Returns an iterator that is another one where the environment is empty.
fn words() -> impl Iterator<Item = String> {
    let one = std::iter::once("one".to_owned());
    one.chain(std::env::var("ITEMS_ANOTHER"))
}

#[library_benchmark]
#[benches::of_the_environment(iter = words())]
#[benches::of_a_setup(args = [], setup = || "one".to_owned())]
fn length(word: String) -> String {
    word
}

library_benchmark_group!(name = files; benchmarks = text, path);
library_benchmark_group!(name = both; benchmarks = sum_to);
library_benchmark_group!(name = iterators; benchmarks = split, split_at, sum_to_constant, length);
main!(library_benchmark_groups = files, both, iterators);
