//! Ten workloads, each of which repeats a unit of work. A unit more in a hundred is one percent more time.

mod units;

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::hint::black_box;

/// A workload with its name.
pub type Workload = (&'static str, fn() -> u64);

pub const ALL: [Workload; 10] = [
    ("arithmetic", arithmetic),
    ("division", division),
    ("hash", hash),
    ("sort", sort),
    ("allocate", allocate),
    ("format", format),
    ("parse", parse),
    ("hash_map", hash_map),
    ("tree", tree),
    ("floats", floats),
];

fn repeat(mut unit: impl FnMut(u64) -> u64) -> u64 {
    (0..black_box(units::UNITS)).fold(0, |sum, number| sum ^ unit(black_box(number)))
}

pub fn arithmetic() -> u64 {
    repeat(|number| (0..20).fold(number, |sum, step| sum.rotate_left(5).wrapping_mul(31) ^ step))
}

pub fn division() -> u64 {
    repeat(|number| (number + 1_000_003) % black_box(97) + (number << 40) / black_box(1_013))
}

pub fn hash() -> u64 {
    repeat(|number| {
        let mut hasher = DefaultHasher::new();
        number.hash(&mut hasher);
        hasher.finish()
    })
}

pub fn sort() -> u64 {
    repeat(|number| {
        let mut numbers = [5, 2, 7, 1, 8, 3].map(|factor| number.wrapping_mul(factor) % 101);
        numbers.sort_unstable();
        numbers[2]
    })
}

pub fn allocate() -> u64 {
    repeat(|number| *black_box(Box::new(number)))
}

pub fn format() -> u64 {
    repeat(|number| black_box(number.to_string()).len() as u64)
}

pub fn parse() -> u64 {
    repeat(|number| black_box("3141592").parse::<u64>().unwrap_or(number))
}

pub fn hash_map() -> u64 {
    let map: HashMap<u64, u64> = (0..16).map(|number| (number, number * 3)).collect();
    repeat(|number| map[&(number % 16)])
}

pub fn tree() -> u64 {
    let map: BTreeMap<u64, u64> = (0..16).map(|number| (number, number * 3)).collect();
    repeat(|number| map[&(number % 16)])
}

pub fn floats() -> u64 {
    repeat(|number| (number as f64 + black_box(2.5)).sqrt().sin().to_bits())
}
