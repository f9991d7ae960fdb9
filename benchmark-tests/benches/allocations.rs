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

/// One allocation for each, and what they return is freed after the benchmark.
fn boxed(number: u64) -> Vec<Box<u64>> {
    let mut boxes = Vec::with_capacity(10);
    boxes.extend((0..number).map(|n| Box::new(black_box(n))));
    boxes
}

/// One for the vector, the others for the boxes; freed in tear-down.
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

/// Room for 4, 8, 16, 32, 64 and 128: one allocation, five times grown, and one that is freed.
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

/// With zeros in it, which is `calloc`.
#[library_benchmark]
fn zeroed() {
    drop(black_box(vec![0_u8; black_box(1000)]));
}

/// More than `malloc` aligns to, which is `posix_memalign`.
#[library_benchmark]
fn aligned() {
    let layout = Layout::new::<[u8; 4096]>().align_to(4096).expect("a power of two");
    for _ in 0..3 {
        // SAFETY: the size is not zero, and the same layout frees it.
        unsafe { dealloc(black_box(alloc(layout)), layout) };
    }
}

/// Threads that allocate and free a hundred times each, besides what it takes to have them. One
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

/// A function of one's own that is called like the C library's.
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
