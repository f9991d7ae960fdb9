//! A file of divan with benchmarks that can't be counted.

use std::env;

use divan::{AllocProfiler, Bencher, black_box};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

#[divan::bench]
fn first() {}

#[divan::bench]
fn none(_: Bencher<'_, '_>) {}

#[divan::bench]
fn no_routine(bencher: Bencher<'_, '_>) {
    let _ = bencher.with_inputs(|| 1);
}

#[divan::bench]
fn panic() {
    assert!(black_box(false), "not today");
}

#[divan::bench(args = [1, 2])]
fn second_one(n: u64) {
    assert!(n < 2, "no more than one");
}

#[divan::bench]
fn last() {}

fn main() {
    // The fork server has no environment, and its standard output would be that of the messages
    if env::var_os("PATH").is_none() {
        println!("The benchmarks are about to run");
    }
    divan::Divan::from_args().sample_count(10).main();
}
