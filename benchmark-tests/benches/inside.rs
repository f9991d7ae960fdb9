//! Benchmarks that show what they find when they run: their environment, and randomness.

use std::collections::HashMap;
use std::env;
use std::hint::black_box;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Prints the environment.
#[library_benchmark]
fn environment() {
    for (name, value) in env::vars() {
        println!("{name}={value}");
    }
}

/// Works with a map whose hash function has a random key.
#[library_benchmark]
#[bench::small(100)]
#[bench::large(5000)]
fn hash_map(number: u64) -> u64 {
    let mut squares: HashMap<u64, u64> = HashMap::new();
    for key in 0..number {
        squares.insert(key, black_box(key * key));
    }
    (0..number).filter(|key| squares.contains_key(&(3 * key))).map(|key| squares[&(3 * key)]).sum()
}

library_benchmark_group!(name = finds; benchmarks = environment, hash_map);

main!(library_benchmark_groups = finds);
