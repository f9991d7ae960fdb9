//! A file of Criterion that starts a thread between its benchmarks.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::hint::black_box;
use std::sync::mpsc;
use std::thread;

use criterion::{Criterion, criterion_group, criterion_main};

use crate::workloads::fibonacci;

fn threads(criterion: &mut Criterion) {
    criterion.bench_function("before", |bencher| bencher.iter(|| fibonacci(black_box(10))));
    let (requests, numbers) = mpsc::channel();
    let (answers, results) = mpsc::channel();
    let worker = thread::spawn(move || {
        for number in numbers {
            answers.send(fibonacci(number)).unwrap();
        }
    });
    criterion.bench_function("with", |bencher| bencher.iter(|| fibonacci(black_box(10))));
    criterion.bench_function("in", |bencher| {
        bencher.iter(|| {
            requests.send(10).unwrap();
            results.recv().unwrap()
        });
    });
    drop(requests);
    worker.join().unwrap();
    criterion.bench_function("after", |bencher| bencher.iter(|| fibonacci(black_box(10))));
}

criterion_group!(benches, threads);
criterion_main!(benches);
