//! A file of Criterion that reports counters.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, counter, criterion_group, criterion_main};

fn counters(criterion: &mut Criterion) {
    // No benchmark runs here
    counter("around", 1);
    let mut calls = 0;
    criterion.bench_function("routine", |bencher| {
        bencher.iter(|| {
            calls += 1;
            counter("calls", black_box(calls));
        });
    });
    counter("around", 2);
    criterion.bench_function("setup", |bencher| {
        bencher.iter_batched(|| counter("in setup", 1.5), |()| (), BatchSize::SmallInput);
    });
    let files = || std::fs::read_dir(".").unwrap().count();
    criterion.bench_function("directory", |bencher| {
        bencher.iter_with_setup(|| counter("files", u32::try_from(files()).unwrap()), |()| ());
    });
    criterion.bench_function("none", |bencher| bencher.iter(|| black_box(1)));
}

criterion_group!(benches, counters);
criterion_main!(benches);
