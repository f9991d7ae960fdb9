//! Hash maps that make seeds of addresses, and others. `more_hash_maps.rs` has them next to other benchmarks.

use iai_callgrind::{library_benchmark_group, main};

#[path = "hash_maps/maps.rs"]
mod maps;

library_benchmark_group!(
    name = group;
    benchmarks = maps::with_addresses_in_seed, maps::with_address_of_constant, maps::with_random_seed,
        maps::with_fixed_seed, maps::with_fixed_seeds, maps::map_of_setup
);
main!(library_benchmark_groups = group);
