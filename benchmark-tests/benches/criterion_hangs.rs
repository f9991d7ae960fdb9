//! A file of Criterion whose code between two benchmarks never ends, if the environment says so. With a second thread it
//! spins, and sleeps otherwise.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::env;
use std::fs;
use std::hint::black_box;
use std::thread;

use criterion::{Criterion, criterion_group, criterion_main};
use workloads::fibonacci;

fn hangs(criterion: &mut Criterion) {
    let hang = env::var("HANG").ok();
    let has_thread = env::var_os("THREAD").is_some();
    if has_thread {
        thread::spawn(thread::park);
    }
    criterion.bench_function("before", |bencher| bencher.iter(|| fibonacci(black_box(10))));
    if let Some(file) = hang {
        fs::write(file, "").unwrap();
        loop {
            if has_thread {
                black_box(0);
            } else {
                thread::park();
            }
        }
    }
    for name in ["after", "behind"] {
        criterion.bench_function(name, |bencher| bencher.iter(|| fibonacci(black_box(10))));
    }
}

criterion_group!(benches, hangs);
criterion_main!(benches);
