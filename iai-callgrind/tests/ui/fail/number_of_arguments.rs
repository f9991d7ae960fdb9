#![allow(unused)]

use iai_callgrind::library_benchmark;

#[library_benchmark]
#[bench::too_few(1)]
#[bench::none()]
#[bench::too_many(1, "text", 2)]
#[bench::named(args = (1))]
#[bench::array(args = [1, "text", 2])]
#[benches::elements((1, "text"), (1, "text", 2), 3)]
fn two(a: u64, b: &str) {}

#[library_benchmark]
#[bench::too_many(1, 2)]
#[bench::bare]
fn one(value: Vec<&'static str>) {}

#[library_benchmark]
#[bench::too_many(1)]
fn zero() {}

#[library_benchmark]
fn no_annotation(value: u64) {}

#[library_benchmark(setup = str::len)]
#[bench::id("text")]
fn two_with_setup(a: usize, b: usize) {}

#[library_benchmark]
#[bench::id(args = ("text"), setup = str::len)]
fn none_with_setup() {}

fn main() {}
