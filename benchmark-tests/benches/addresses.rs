//! A benchmark that uses addresses as hash maps do that make seeds of them. `more_addresses.rs` has it next to others.

use iai_callgrind::{library_benchmark_group, main};

#[path = "addresses/seeds.rs"]
mod seeds;

library_benchmark_group!(name = seeds_of_addresses; benchmarks = seeds::addresses);
main!(library_benchmark_groups = seeds_of_addresses);
