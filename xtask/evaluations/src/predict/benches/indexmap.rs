//! Functions of the crate indexmap.

use iai_callgrind::library_benchmark;
use indexmap::{IndexMap, IndexSet};

use crate::inputs::{numbers, words};

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn insert_before(numbers: Vec<u64>) -> indexmap_old::IndexMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn insert_after(numbers: Vec<u64>) -> IndexMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = |n| words(n).into_iter().collect::<IndexSet<_>>())]
#[bench::n(300)]
fn sort(mut words: IndexSet<String>) -> IndexSet<String> {
    words.sort_unstable();
    words
}

#[library_benchmark(setup = |n| numbers(n).into_iter().zip(0..).collect::<IndexMap<u64, u64>>())]
#[bench::n(3000)]
fn values(map: IndexMap<u64, u64>) -> u64 {
    map.values().sum()
}
