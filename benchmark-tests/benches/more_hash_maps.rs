//! The benchmarks of `hash_maps.rs` after others with code and data of their own.

use std::arch::global_asm;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[path = "hash_maps/maps.rs"]
mod maps;

// As large as the code of some dozen benchmarks
global_asm!(".pushsection .text.more_hash_maps, \"axR\", %progbits", ".zero 50000", ".popsection");

#[used]
static CONSTANTS: [u64; 2500] = [7; 2500];
static UNINITIALIZED: [AtomicU64; 100] = [const { AtomicU64::new(0) }; 100];
static INITIALIZED: [AtomicU64; 4000] = [const { AtomicU64::new(7) }; 4000];

#[library_benchmark]
fn another() -> u64 {
    let sum =
        |numbers: &[AtomicU64]| numbers.iter().map(|it| it.load(Ordering::Relaxed)).sum::<u64>();
    black_box(sum(black_box(&UNINITIALIZED)) + sum(black_box(&INITIALIZED)))
}

#[library_benchmark]
#[bench::three(3.5)]
fn text(number: f64) -> String {
    (0..black_box(9)).map(|index| format!("{index:?} {number:.3}")).collect::<Vec<_>>().join("+")
}

library_benchmark_group!(name = before; benchmarks = another, text);
library_benchmark_group!(
    name = group;
    benchmarks = maps::with_addresses_in_seed, maps::with_address_of_constant, maps::with_random_seed,
        maps::with_fixed_seed, maps::with_fixed_seeds, maps::map_of_setup
);
main!(library_benchmark_groups = before, group);
