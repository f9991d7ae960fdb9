//! The benchmarks of both files.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::hint::black_box;

use iai_callgrind::library_benchmark;

/// Counts words in a map with this hasher. The number of comparisons depends on its seed.
fn count<K: Eq + Hash, S: BuildHasher>(words: Vec<K>, hasher: S) -> usize {
    let mut counts = HashMap::with_hasher(hasher);
    for word in words {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts.values().sum()
}

fn words() -> Vec<String> {
    (0..300).map(|number| format!("word number {}", number % 200)).collect()
}

#[library_benchmark]
#[bench::words(words())]
pub(crate) fn with_addresses_in_seed(words: Vec<String>) -> usize {
    count(words, foldhash::fast::RandomState::default())
}

/// Returns the words after the crate has its random numbers, for which it looks for a function of the C library.
fn words_after_look_up() -> Vec<String> {
    black_box(ahash::RandomState::with_seed(1));
    words()
}

#[library_benchmark]
#[bench::words(words_after_look_up())]
pub(crate) fn with_address_of_constant(words: Vec<String>) -> usize {
    count(words, ahash::RandomState::new())
}

#[library_benchmark]
#[bench::words(words())]
pub(crate) fn with_random_seed(words: Vec<String>) -> usize {
    count(words, RandomState::new())
}

#[library_benchmark]
#[bench::words(words())]
pub(crate) fn with_fixed_seed(words: Vec<String>) -> usize {
    count(words, foldhash::fast::FixedState::with_seed(1))
}

#[library_benchmark]
#[bench::words(words())]
pub(crate) fn with_fixed_seeds(words: Vec<String>) -> usize {
    count(words, ahash::RandomState::with_seeds(1, 2, 3, 4))
}

/// A map with such a seed.
type Map = HashMap<String, usize, foldhash::fast::RandomState>;

fn map() -> Map {
    words().into_iter().zip(0..).collect()
}

#[library_benchmark]
#[bench::map(map())]
pub(crate) fn map_of_setup(map: Map) -> (usize, Map) {
    (words().iter().filter_map(|word| map.get(word)).sum(), map)
}
