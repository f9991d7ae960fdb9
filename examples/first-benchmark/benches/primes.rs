//! Counts the instructions of the sieve for two limits.

use std::hint::black_box;

use first_benchmark::primes;
use iai_callgrind::{library_benchmark, main};

#[library_benchmark]
#[bench::hundred(100)]
#[bench::thousand(1000)]
fn sieve(limit: usize) -> Vec<usize> {
    black_box(primes(limit))
}

main!();
