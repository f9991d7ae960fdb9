//! Functions of the crate strsim.

use iai_callgrind::library_benchmark;

use crate::inputs::words;

fn pairs(len: usize) -> Vec<(String, String)> {
    let mut words = words(2 * len);
    let others = words.split_off(len);
    words.into_iter().zip(others).collect()
}

#[library_benchmark(setup = pairs)]
#[bench::n(50)]
fn levenshtein_before(pairs: Vec<(String, String)>) -> usize {
    pairs.iter().map(|(a, b)| strsim_old::levenshtein(a, b)).sum()
}

#[library_benchmark(setup = pairs)]
#[bench::n(50)]
fn levenshtein_after(pairs: Vec<(String, String)>) -> usize {
    pairs.iter().map(|(a, b)| strsim::levenshtein(a, b)).sum()
}

#[library_benchmark(setup = pairs)]
#[bench::n(50)]
fn jaro_before(pairs: Vec<(String, String)>) -> f64 {
    pairs.iter().map(|(a, b)| strsim_old::jaro(a, b)).sum()
}

#[library_benchmark(setup = pairs)]
#[bench::n(50)]
fn jaro_after(pairs: Vec<(String, String)>) -> f64 {
    pairs.iter().map(|(a, b)| strsim::jaro(a, b)).sum()
}

#[library_benchmark(setup = pairs)]
#[bench::n(20)]
fn damerau(pairs: Vec<(String, String)>) -> usize {
    pairs.iter().map(|(a, b)| strsim::damerau_levenshtein(a, b)).sum()
}
