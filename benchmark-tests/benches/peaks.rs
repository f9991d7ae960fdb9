//! Benchmarks of which it is known how much memory they have at most at one time.

use std::alloc::{Layout, alloc, dealloc};
use std::hint::black_box;
use std::sync::{Arc, Barrier};
use std::thread;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Allocates a block of this size.
fn block(size: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(black_box(size)))
}

/// Allocates and frees more than any of the benchmarks.
fn large(size: usize) -> usize {
    drop([block(1 << 24), block(1 << 20)]);
    size
}

#[library_benchmark(setup = large)]
#[bench::case(0)]
fn nothing(_size: usize) -> u64 {
    black_box(1) + black_box(2)
}

#[library_benchmark(setup = large)]
#[bench::case(100)]
fn one(size: usize) {
    drop(block(size));
}

#[library_benchmark(setup = large)]
#[bench::case(60)]
fn one_after_the_other(size: usize) {
    for size in [100, size, 80] {
        drop(block(size));
    }
}

#[library_benchmark(setup = large)]
#[bench::case(60)]
fn together(size: usize) {
    let first = block(100);
    drop(black_box((block(size), first)));
    drop(block(150));
}

/// Pushes a hundred numbers of eight bytes: the last capacity is 128.
#[library_benchmark(setup = large)]
#[bench::case(100)]
fn growing(numbers: usize) {
    let mut vector = Vec::new();
    for number in 0..numbers {
        vector.push(black_box(number));
    }
    drop(black_box(vector));
}

#[library_benchmark(setup = large)]
#[bench::case(1000)]
fn zeroed(size: usize) {
    drop(black_box(vec![0_u8; size]));
}

#[library_benchmark]
fn aligned() {
    let layout = Layout::new::<[u8; 4096]>().align_to(4096).expect("a power of two");
    // SAFETY: the size is not zero, and the same layout frees it.
    unsafe { dealloc(black_box(alloc(layout)), layout) };
}

fn nested(depth: usize) -> usize {
    let held = block(10);
    let below = if depth > 1 { nested(depth - 1) } else { 0 };
    black_box(held).capacity() + below
}

#[library_benchmark(setup = large)]
#[bench::case(5)]
fn recursive(depth: usize) -> usize {
    nested(depth)
}

/// Returns a block, which the teardown frees.
#[library_benchmark(teardown = drop)]
#[bench::case(300)]
fn returned(size: usize) -> Vec<u8> {
    block(size)
}

/// Frees what the setup allocated, and allocates less.
#[library_benchmark(setup = block)]
#[bench::case(100_000)]
fn replaced(input: Vec<u8>) {
    drop(black_box(input));
    drop(block(7));
}

/// Grows a block of the setup from 80 bytes to 200.
#[library_benchmark(setup = block)]
#[bench::case(80)]
fn grown_input(mut input: Vec<u8>) -> Vec<u8> {
    input.reserve_exact(black_box(200));
    input
}

/// Has a block of this size in each of three threads at the same time.
#[library_benchmark]
#[bench::small(1000)]
#[bench::large(2000)]
fn threads_together(size: usize) {
    let barrier = Arc::new(Barrier::new(3));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let barrier = Arc::clone(&barrier);
            thread::spawn(move || {
                let held = block(size);
                barrier.wait();
                drop(held);
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a thread");
    }
}

/// Has a block of this size in one of three threads after the other.
#[library_benchmark]
#[bench::small(10_000)]
#[bench::large(20_000)]
fn threads_in_turn(size: usize) {
    for _ in 0..3 {
        thread::spawn(move || drop(block(size))).join().expect("a thread");
    }
}

library_benchmark_group!(
    name = peaks;
    benchmarks = nothing, one, one_after_the_other, together, growing, zeroed, aligned, recursive,
        returned, replaced, grown_input, threads_together, threads_in_turn
);

main!(library_benchmark_groups = peaks);
