//! A file of Criterion with benchmarks that can't be counted.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

use std::env;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};

fn failures(criterion: &mut Criterion) {
    criterion.bench_function("first", |bencher| bencher.iter(|| ()));
    criterion.bench_function("several", |bencher| {
        bencher.iter(|| ());
        bencher.iter(|| ());
    });
    criterion.bench_function("none", |_| ());
    criterion.bench_function("panic", |bencher| {
        bencher.iter(|| assert!(black_box(false), "not today"));
    });
    // Each benchmark starts without environment variables
    let is_native = env::var_os("PATH").is_some();
    if is_native {
        criterion.bench_function("native", |bencher| bencher.iter(|| ()));
    }
    criterion.bench_function("last", |bencher| bencher.iter(|| ()));
    assert!(is_native, "no PATH");
    criterion.bench_function("behind", |bencher| bencher.iter(|| ()));
}

criterion_group!(benches, failures);
criterion_main!(benches);
