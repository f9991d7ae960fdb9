//! A file of Criterion that starts threads between its benchmarks, some of which spin.

#![allow(missing_docs, reason = "the groups of the real Criterion are public")]

#[expect(dead_code, reason = "other files use the rest")]
mod workloads;

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
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
    // The real `Bencher` can go to another thread
    criterion.bench_function("sent", |bencher| {
        thread::scope(|scope| {
            scope.spawn(|| bencher.iter(|| fibonacci(black_box(10))));
        });
    });
}

/// Spins until a thread has set a flag, with and without a hint for the CPU.
fn spinning_routines(criterion: &mut Criterion) {
    let flag = Arc::new(AtomicBool::new(false));
    let setter = thread::spawn({
        let flag = Arc::clone(&flag);
        move || {
            loop {
                thread::park();
                flag.store(true, Ordering::Release);
            }
        }
    });
    for (name, pause) in [("spins", (|| ()) as fn()), ("spins_with_hint", spin_loop)] {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                flag.store(false, Ordering::Release);
                setter.thread().unpark();
                while !flag.load(Ordering::Acquire) {
                    pause();
                }
            });
        });
    }
}

/// Runs a benchmark while another thread spins.
fn spinning_thread(criterion: &mut Criterion) {
    let is_stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_stopped.load(Ordering::Relaxed) {
                black_box(0);
            }
        });
        criterion.bench_function("around", |bencher| bencher.iter(|| fibonacci(black_box(10))));
        is_stopped.store(true, Ordering::Relaxed);
    });
}

/// Runs routines that depend on how far a thread that spins has come: one while it spins, the other one after its
/// end, when no thread is left.
fn progress_of_a_spinning_thread(criterion: &mut Criterion) {
    static IS_STOPPED: AtomicBool = AtomicBool::new(false);
    static STEPS: AtomicU64 = AtomicU64::new(0);
    let mut bench = |name| {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| fibonacci(STEPS.load(Ordering::Relaxed) % 13));
        });
    };
    let spinning = thread::spawn(|| {
        while !IS_STOPPED.load(Ordering::Relaxed) {
            STEPS.fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
        }
    });
    bench("progress_until_now");
    IS_STOPPED.store(true, Ordering::Relaxed);
    spinning.join().unwrap();
    bench("progress_until_the_end");
}

criterion_group!(
    benches,
    progress_of_a_spinning_thread,
    threads,
    spinning_routines,
    spinning_thread
);
criterion_main!(benches);
