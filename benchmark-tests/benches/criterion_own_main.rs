//! A file of Criterion with its own `main`, which prints and has groups of two kinds.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group};

fn count_up(to: u64) -> u64 {
    (0..to).fold(0, |sum, n| black_box(sum + n))
}

fn in_a_group(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("counting");
    for to in [10, 20] {
        group.bench_with_input(BenchmarkId::from_parameter(to), &to, |bencher, to| {
            bencher.iter(|| count_up(*to));
        });
    }
    group.finish();
}

criterion_group!(benches, in_a_group);

fn main() {
    println!("printed before the benchmarks");
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    criterion.bench_function("alone", |bencher| bencher.iter(|| count_up(10)));
    criterion.bench_function("empty", |bencher| bencher.iter(|| ()));
    println!("printed between the benchmarks");
    benches();
    let must_panic = std::env::args().any(|argument| argument == "--show=none");
    assert!(!must_panic, "outside of the benchmarks");
    criterion.final_summary();
    Criterion::default().configure_from_args().final_summary();
    println!("printed after the benchmarks");
}
