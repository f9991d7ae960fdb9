//! Functions of the crate hashbrown.

use hashbrown::{HashMap, HashSet};
use iai_callgrind::library_benchmark;

use crate::inputs::{numbers, words};

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn insert_before(numbers: Vec<u64>) -> hashbrown_old::HashMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = numbers)]
#[bench::n(500)]
fn insert_after(numbers: Vec<u64>) -> HashMap<u64, u64> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

#[library_benchmark(setup = words)]
#[bench::n(300)]
fn distinct(words: Vec<String>) -> usize {
    words.into_iter().collect::<HashSet<_>>().len()
}

#[library_benchmark(setup = |n| numbers(n).into_iter().zip(numbers(n)).collect::<HashMap<_, _>>())]
#[bench::n(1000)]
fn remove(mut map: HashMap<u64, u64>) -> HashMap<u64, u64> {
    map.retain(|key, _| key % 3 == 0);
    map
}

#[library_benchmark(setup = |n| (numbers(n).into_iter().collect::<HashSet<_>>(), numbers(2 * n)))]
#[bench::n(500)]
fn contains((set, numbers): (HashSet<u64>, Vec<u64>)) -> usize {
    numbers.iter().filter(|number| set.contains(*number)).count()
}
