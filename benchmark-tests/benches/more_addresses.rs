//! The benchmark of `addresses.rs` after another one with code and data of its own.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[path = "addresses/seeds.rs"]
mod seeds;

static UNINITIALIZED: [AtomicU64; 5000] = [const { AtomicU64::new(0) }; 5000];
static INITIALIZED: [AtomicU64; 5000] = [const { AtomicU64::new(7) }; 5000];

#[library_benchmark]
fn another() -> u64 {
    let sum =
        |numbers: &[AtomicU64]| numbers.iter().map(|it| it.load(Ordering::Relaxed)).sum::<u64>();
    black_box(sum(black_box(&UNINITIALIZED)) + sum(black_box(&INITIALIZED)))
}

library_benchmark_group!(name = before; benchmarks = another);
library_benchmark_group!(name = seeds_of_addresses; benchmarks = seeds::addresses);
main!(library_benchmark_groups = before, seeds_of_addresses);
