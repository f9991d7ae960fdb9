//! Benchmarks of strsim.

use iai_callgrind::prelude::*;

const LEFT: &str = "the quick brown fox jumps";
const RIGHT: &str = "a quick crown fox jumped!";

#[library_benchmark]
#[bench::same_length(LEFT, RIGHT)]
fn hamming(left: &str, right: &str) -> usize {
    strsim::hamming(left, right).unwrap_or(0)
}

#[library_benchmark]
#[bench::two(LEFT, RIGHT)]
fn jaro_winkler(left: &str, right: &str) -> f64 {
    strsim::jaro_winkler(left, right)
}

#[library_benchmark]
#[bench::two(LEFT, RIGHT)]
fn levenshtein(left: &str, right: &str) -> f64 {
    strsim::normalized_levenshtein(left, right)
}

#[library_benchmark]
#[bench::two(LEFT, RIGHT)]
fn osa(left: &str, right: &str) -> usize {
    strsim::osa_distance(left, right)
}

#[library_benchmark]
#[bench::two(LEFT, "ein schneller brauner Fuchs \u{2013} \u{142}\u{f3}d\u{17a}")]
fn damerau(left: &str, right: &str) -> usize {
    strsim::damerau_levenshtein(right, left)
}

#[library_benchmark]
#[bench::numbers(&[1, 2, 3, 4, 5, 6, 7], &[2, 1, 3, 9, 5, 7, 6])]
fn generic_damerau(left: &[u32], right: &[u32]) -> usize {
    strsim::generic_damerau_levenshtein(left, right)
}

#[library_benchmark]
#[bench::two(LEFT, RIGHT)]
fn dice(left: &str, right: &str) -> f64 {
    strsim::sorensen_dice(left, right)
}

main!();
