//! Benchmarks in which Valgrind's tools find errors.

use std::alloc::{Layout, alloc};
use std::cell::UnsafeCell;
use std::hint::black_box;
use std::thread;

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

/// Reads behind the end of a block.
#[inline(never)]
fn read_behind_the_end(block: &[u8]) -> u8 {
    // SAFETY: none, this is the error. The allocator has its own data there.
    unsafe { *black_box(block.as_ptr().add(block.len())) }
}

#[library_benchmark]
fn invalid_read() -> u8 {
    read_behind_the_end(&black_box(vec![1_u8; 16]))
}

/// Leaks a thousand bytes, which no code can free any more.
#[inline(never)]
fn leak_a_block() {
    // SAFETY: the layout is not empty.
    black_box(unsafe { alloc(Layout::new::<[u8; 1000]>()) });
}

#[library_benchmark]
fn leak() {
    leak_a_block();
}

/// A number that threads change without asking each other.
struct Shared(UnsafeCell<u64>);

// SAFETY: none, this is the error.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(0));

#[inline(never)]
fn increment_without_lock() {
    for _ in 0..10 {
        // SAFETY: none, this is the error.
        unsafe { *black_box(SHARED.0.get()) += 1 };
    }
}

#[library_benchmark]
fn data_race() {
    let threads = [(); 2].map(|()| thread::spawn(increment_without_lock));
    for thread in threads {
        thread.join().expect("it does not panic");
    }
}

#[library_benchmark]
fn without_errors() -> Vec<u64> {
    let thread = thread::spawn(|| (0..black_box(10)).collect::<Vec<u64>>());
    thread.join().expect("it does not panic")
}

#[library_benchmark]
fn panics_after_an_error() {
    read_behind_the_end(&black_box(vec![1_u8; 16]));
    panic!("on purpose");
}

library_benchmark_group!(
    name = errors;
    benchmarks = invalid_read, leak, data_race, without_errors, panics_after_an_error
);

main!(library_benchmark_groups = errors);
