//! Benchmarks of https://github.com/mgeisler/textwrap up to e29daecac5298f7b712df0c0a35d6981e91209f7

use std::hint::black_box;

use iai_callgrind::prelude::*;
use textwrap::{Options, WrapAlgorithm, core};

const TEXT: &str = "The quick brown fox jumps over the lazy dog, and then it runs as far as it can, because the dog, who is \
    not so lazy after all, has woken up and does not like to be jumped over by a fox of whatever colour.";
const UNICODE: &str = "Änderungen größerer Maßstäbe: das Äußere überzeugt, während 日本語の文字 breiter sind. ";
const INDENTED: &str = "    first line\n      second line\n\n    third line\n        the last one\n";

#[library_benchmark]
#[bench::narrow(20)]
#[bench::wide(80)]
fn wrap(width: usize) -> usize {
    textwrap::wrap(black_box(TEXT), width).len()
}

#[library_benchmark]
#[bench::narrow(20)]
fn wrap_unicode(width: usize) -> usize {
    textwrap::wrap(black_box(UNICODE), width).len()
}

#[library_benchmark]
#[bench::narrow(20)]
fn wrap_first_fit(width: usize) -> usize {
    let options = Options::new(width).wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(black_box(TEXT), &options).len()
}

#[library_benchmark]
#[bench::indented(30)]
fn fill(width: usize) -> String {
    let options = Options::new(width).initial_indent("* ").subsequent_indent("  ");
    textwrap::fill(black_box(TEXT), &options)
}

#[library_benchmark(setup = String::from)]
#[bench::usual(TEXT)]
fn fill_inplace(mut text: String) -> String {
    textwrap::fill_inplace(&mut text, 40);
    text
}

#[library_benchmark]
fn unfill() -> usize {
    textwrap::unfill(black_box("* This is an\n  example of\n  a list item.\n")).0.len()
}

#[library_benchmark]
fn refill() -> String {
    textwrap::refill(black_box("> Memory safety without\n> garbage collection.\n"), 12)
}

#[library_benchmark]
fn indent() -> String {
    textwrap::indent(black_box(INDENTED), "  | ")
}

#[library_benchmark]
fn dedent() -> String {
    textwrap::dedent(black_box(INDENTED))
}

#[library_benchmark]
#[bench::ascii(TEXT)]
#[bench::unicode(UNICODE)]
fn display_width(text: &str) -> usize {
    core::display_width(black_box(text))
}

main!();
