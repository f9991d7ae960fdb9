//! Functions of the crate fnv.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use fnv::{FnvHashMap, FnvHasher};
use iai_callgrind::library_benchmark;

use crate::inputs::{numbers, words};

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn hash_before(words: Vec<String>) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.iter().for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn hash_after(words: Vec<String>) -> u64 {
    let mut hasher = FnvHasher::default();
    words.iter().for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn insert(numbers: Vec<u64>) -> FnvHashMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn count_words(words: Vec<String>) -> usize {
    let mut counts = FnvHashMap::default();
    words.iter().for_each(|word| *counts.entry(&word[..2]).or_insert(0) += 1);
    counts.len()
}
