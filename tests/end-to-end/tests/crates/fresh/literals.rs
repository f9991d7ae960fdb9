// Benchmarks whose counts depend on the addresses of literals.

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

const TEXT: &str = "name=value; other=another value; last=the end of it, of course\n";

//+ benchmark
#[library_benchmark]
#[bench::find("end")]
#[bench::none("nowhere")]
fn position(word: &str) -> Option<usize> {
    black_box(TEXT).find(black_box(word))
}

#[library_benchmark]
#[bench::fields(';')]
fn split(by: char) -> usize {
    black_box(TEXT).split(by).map(str::len).max().expect("there is one")
}

//+ function
#[library_benchmark]
#[bench::last(50)]
fn index(at: usize) -> u8 {
    black_box(TEXT).as_bytes()[black_box(at)]
}

#[library_benchmark]
#[bench::long("a longer argument, in which we look for the last letter that is a Y: it is not very near")]
#[bench::short("a text")]
fn last(text: &str) -> Option<usize> {
    LIBRARY::last(text)
}

#[library_benchmark]
#[bench::bytes(b"bytes of UTF-8, of which there are more than thirty-two, or even more than sixty-four")]
fn valid(bytes: &[u8]) -> bool {
    LIBRARY::valid(bytes)
}

#[library_benchmark]
#[bench::first(concat!("a constant of this length", ", and then some"))]
#[bench::second(concat!("another one"))]
#[bench::third(concat!("the third one, with some more bytes, of ", "which there are over sixty"))]
#[bench::fourth(concat!("and a fourth ", "which is the last"))]
fn constant(text: &str) -> bool {
    LIBRARY::valid(text.as_bytes())
}

#[library_benchmark]
#[bench::numbers(&[3, 2, 1, 7, 8, 9, 12, 45])]
fn sum(numbers: &[u64]) -> u64 {
    numbers.iter().sum()
}

#[library_benchmark]
fn literal() -> Option<usize> {
    black_box("a literal in the body, in which we look for a colon: here").find(':')
}

#[library_benchmark]
fn table() -> Option<usize> {
    LIBRARY::table(black_box("delta"))
}

#[library_benchmark]
fn of_library() -> Option<usize> {
    LIBRARY::semicolon()
}

#[library_benchmark]
fn rare() -> u64 {
    LIBRARY::rare(black_box(3))
}

#[library_benchmark]
fn seed() -> usize {
    LIBRARY::seed()
}

library_benchmark_group!(
    name = all;
    benchmarks = position, split, index, last, valid, constant, sum, literal, table, of_library, rare, seed
);
main!(library_benchmark_groups = all);
