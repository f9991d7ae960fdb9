//! Functions whose calls are timed, and what can go wrong with that.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use iai_callgrind::{black_box, library_benchmark, library_benchmark_group, main};

/// Results that a teardown has seen.
static SEEN: Mutex<Option<HashSet<u64>>> = Mutex::new(None);

fn next() -> Vec<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    vec![NEXT.fetch_add(1, Ordering::Relaxed)]
}

/// Demands that each call has the input of its own setup.
fn see(numbers: Vec<u64>) {
    let mut seen = SEEN.lock().unwrap();
    for number in numbers {
        assert!(seen.get_or_insert_with(HashSet::new).insert(number), "{number} was there before");
    }
}

fn wait(time: u64) -> u64 {
    thread::sleep(Duration::from_millis(time));
    time
}

#[library_benchmark]
fn empty() {}

#[library_benchmark(setup = next, teardown = see)]
#[bench::owned()]
fn own_input(numbers: Vec<u64>) -> Vec<u64> {
    numbers
}

#[library_benchmark]
#[bench::large([7; 100], &mut vec![1, 2, 3], "text")]
fn arguments(numbers: [u64; 100], borrowed: &mut Vec<u64>, text: &str) -> u64 {
    // Each call has a new vector
    assert_eq!(borrowed.len(), 3);
    borrowed.push(numbers[50]);
    text.len() as u64
}

#[library_benchmark(setup = wait)]
#[bench::five(5)]
fn after_setup(time: u64) -> u64 {
    black_box(time)
}

#[library_benchmark]
#[bench::two(2)]
fn sleeps(time: u64) -> u64 {
    wait(time)
}

#[library_benchmark]
fn starts_threads() -> u64 {
    let threads: Vec<_> = (0..2).map(|number| thread::spawn(move || black_box(number))).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).sum()
}

#[library_benchmark]
fn panics() {
    panic!("not today");
}

library_benchmark_group!(
    name = group;
    benchmarks = empty, own_input, arguments, after_setup, sleeps, starts_threads, panics
);
main!(library_benchmark_groups = group);
