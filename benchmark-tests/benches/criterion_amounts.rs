//! A file of Criterion with amounts of data, and with a routine that measures itself.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

fn amounts(criterion: &mut Criterion) {
    let bytes = vec![1_u8; 1000];
    let sum = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| black_box(sum) + u64::from(*byte));
    let mut group = criterion.benchmark_group("amounts");
    group.throughput(Throughput::Bytes(1000));
    group.bench_function("bytes", |bencher| bencher.iter(|| sum(&bytes)));
    group.throughput(Throughput::Elements(10));
    group.bench_function("elements", |bencher| bencher.iter(|| sum(&bytes)));
    group.finish();
    criterion.bench_function("batched", |bencher| {
        bencher.iter_batched(|| bytes.clone(), |bytes| sum(&bytes), BatchSize::LargeInput);
    });
    criterion.bench_function("itself", |bencher| {
        bencher.iter_custom(|iterations| {
            let start = Instant::now();
            (0..iterations).for_each(|_| assert_eq!(sum(&bytes), 1000));
            start.elapsed()
        });
    });
}

criterion_group!(benches, amounts);
criterion_main!(benches);
