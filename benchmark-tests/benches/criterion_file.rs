//! A file of Criterion. Each benchmark of `criterion_twin.rs` is at several places.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, criterion_group,
    criterion_main, measurement::WallTime,
};

use crate::workloads::{bubble_sort, count_up, descending, fibonacci, index};

fn benchmarks(group: &mut BenchmarkGroup<'_, WallTime>) {
    group.bench_function("nothing", |bencher| bencher.iter(|| ()));
    for n in [5, 10] {
        let id = BenchmarkId::new("fibonacci", n);
        group.bench_with_input(id, &n, |bencher, n| bencher.iter(|| fibonacci(*n)));
    }
    group.bench_function("count up", |bencher| bencher.iter(|| count_up(black_box(20))));
    group.bench_function("count up/kept", |bencher| {
        bencher.iter_with_large_drop(|| count_up(black_box(20)));
    });
    let numbers = descending(10);
    group.bench_function("sort", |bencher| {
        #[expect(
            clippy::redundant_closure,
            reason = "the twin is a function that calls another one"
        )]
        bencher.iter_batched(|| numbers.clone(), |it| bubble_sort(it), BatchSize::SmallInput);
    });
    group.bench_function("sort ref", |bencher| {
        let sort = |numbers: &mut Vec<u32>| *numbers = bubble_sort(std::mem::take(numbers));
        bencher.iter_batched_ref(|| numbers.clone(), sort, BatchSize::PerIteration);
    });
    group.bench_function("index", |bencher| {
        bencher.iter_with_large_drop(|| index(black_box("a b c d")));
    });
}

/// Leaves free blocks of many sizes.
fn litter() -> BTreeMap<usize, Vec<u8>> {
    let mut all: BTreeMap<_, _> = (1..400).map(|n| (n, vec![0; n * 23])).collect();
    all.retain(|n, _| n % 3 == 0);
    all
}

fn everywhere(criterion: &mut Criterion) {
    let mut first = criterion.benchmark_group("first");
    first.sample_size(10).sampling_mode(SamplingMode::Flat);
    benchmarks(&mut first);
    first.finish();
    let kept = litter();
    let mut second = criterion.benchmark_group("second");
    benchmarks(&mut second);
    second.finish();
    drop(kept);
    criterion.bench_function("alone", |bencher| bencher.iter(|| count_up(black_box(20))));
    let mut third = criterion.benchmark_group("third/with::signs");
    benchmarks(&mut third);
}

fn twice(criterion: &mut Criterion) {
    for n in [5, 10] {
        criterion.bench_function("twice", |bencher| bencher.iter(|| fibonacci(black_box(n))));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).configure_from_args();
    targets = everywhere
}
criterion_group!(others, twice);
criterion_main!(benches, others);
