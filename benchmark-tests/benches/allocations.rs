//! Benchmarks of which it is known how often they allocate and free.

#![allow(clippy::vec_box, reason = "each box is an allocation that is counted")]

use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box;
use std::thread;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn nothing() -> u64 {
    black_box(1) + black_box(2)
}

/// Allocates a box for each number. They are freed after the benchmark.
fn boxed(number: u64) -> Vec<Box<u64>> {
    let mut boxes = Vec::with_capacity(10);
    boxes.extend((0..number).map(|n| Box::new(black_box(n))));
    boxes
}

/// Allocates a vector and its boxes, which are freed in the teardown.
#[library_benchmark]
#[bench::ten(args = (10), teardown = drop)]
fn boxes(number: u64) -> Vec<Box<u64>> {
    boxed(number)
}

/// Frees what set-up allocated.
#[library_benchmark(setup = boxed)]
#[bench::ten(10)]
fn dropped(boxes: Vec<Box<u64>>) {
    drop(black_box(boxes));
}

/// Pushes numbers: one allocation, which grows five times up to 128 numbers and is freed.
fn grown(numbers: u64) {
    let mut vector = Vec::new();
    for number in 0..numbers {
        vector.push(black_box(number));
    }
    drop(black_box(vector));
}

/// Grows a vector after set-up did too.
#[library_benchmark(setup = |n| { grown(n); n }, teardown = |()| grown(1000))]
#[bench::hundred(100)]
fn growth(numbers: u64) {
    grown(numbers);
}

/// Allocates zeros, with `calloc`.
#[library_benchmark]
fn zeroed() {
    drop(black_box(vec![0_u8; black_box(1000)]));
}

/// Aligns to more than `malloc` does, with `posix_memalign`.
#[library_benchmark]
fn aligned() {
    let layout = Layout::new::<[u8; 4096]>().align_to(4096).expect("a power of two");
    for _ in 0..3 {
        // SAFETY: the size is not zero, and the same layout frees it.
        unsafe { dealloc(black_box(alloc(layout)), layout) };
    }
}

/// Starts threads that allocate and free a hundred times each, besides what it takes to have them. One
/// allocation is for their handles.
#[library_benchmark]
#[bench::none(0)]
#[bench::three(3)]
#[bench::six(6)]
fn threads(number: usize) {
    let work = || {
        for _ in 0..100 {
            drop(black_box(Box::new(black_box(1))));
        }
    };
    let mut threads = Vec::with_capacity(black_box(8));
    threads.extend((0..number).map(|_| thread::spawn(work)));
    for thread in threads {
        thread.join().expect("it doesn't panic");
    }
}

/// Has the name of a function of the C library, and is the user's.
#[inline(never)]
fn free(number: u64) -> u64 {
    black_box(number)
}

#[library_benchmark]
fn own_free() -> u64 {
    free(black_box(1)) + free(black_box(2))
}

library_benchmark_group!(
    name = heap;
    benchmarks = nothing, boxes, dropped, growth, zeroed, aligned, threads, own_free
);

main!(library_benchmark_groups = heap);
