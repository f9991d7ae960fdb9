//! Benchmarks of strsim, whose older revisions are of the edition 2015.

extern crate iai_callgrind;
extern crate strsim;

use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

const LEFT: &str = "the quick brown fox jumps";
const RIGHT: &str = "a quicker brown ox jumped";

#[library_benchmark]
fn hamming() -> usize {
    strsim::hamming(black_box(LEFT), black_box(RIGHT)).unwrap()
}

#[library_benchmark]
#[bench::same_length(LEFT, RIGHT)]
#[bench::short("kitten", "sitting")]
#[bench::unicode("größere Maße", "große Masse")]
fn levenshtein(left: &str, right: &str) -> usize {
    strsim::levenshtein(black_box(left), right)
}

#[library_benchmark]
#[bench::same_length(LEFT, RIGHT)]
fn osa_distance(left: &str, right: &str) -> usize {
    strsim::osa_distance(black_box(left), right)
}

#[library_benchmark]
#[bench::same_length(LEFT, RIGHT)]
#[bench::short("kitten", "sitting")]
fn damerau_levenshtein(left: &str, right: &str) -> usize {
    strsim::damerau_levenshtein(black_box(left), right)
}

#[library_benchmark]
#[bench::same_length(LEFT, RIGHT)]
#[bench::one_letter("a", "b")]
fn jaro(left: &str, right: &str) -> f64 {
    strsim::jaro(black_box(left), right)
}

#[library_benchmark]
#[bench::common_start("cheeseburger", "cheese fries")]
fn jaro_winkler(left: &str, right: &str) -> f64 {
    strsim::jaro_winkler(black_box(left), right)
}

library_benchmark_group!(
    name = all;
    benchmarks = hamming, levenshtein, osa_distance, damerau_levenshtein, jaro, jaro_winkler
);

main!(library_benchmark_groups = all);
