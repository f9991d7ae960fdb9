//! A file of divan that reports counters, with the module and the function of the same name.

use divan::counter::ItemsCount;
use divan::{Bencher, counter};

fn main() {
    counter("around", 1);
    divan::main();
}

#[divan::bench(counter = ItemsCount::new(2_u8))]
fn routine() {
    counter("in routine", 5);
}

#[divan::bench]
fn inputs(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| counter("in inputs", 0.5)).bench_values(|()| ());
}

#[divan::bench]
fn directory(bencher: Bencher<'_, '_>) {
    let files = || u32::try_from(std::fs::read_dir(".").unwrap().count()).unwrap();
    bencher.with_inputs(|| counter("files", files())).bench_values(|()| ());
}
