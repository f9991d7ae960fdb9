//! Benchmarks whose functions make client requests.

use std::hint::black_box;
use std::thread;

use iai_callgrind::client_requests::callgrind;
use iai_callgrind::{library_benchmark, library_benchmark_group, main, valgrind_println};

/// Executes a few instructions for each turn.
#[inline(never)]
fn work(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

/// Does the same without requests.
#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn whole(turns: u32) {
    work(turns);
}

#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn part(turns: u32) {
    work(10);
    callgrind::toggle_collect();
    work(turns);
    callgrind::toggle_collect();
}

#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn zeroed(turns: u32) {
    work(turns);
    callgrind::zero_stats();
    work(10);
}

#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn dumped(turns: u32) {
    work(turns);
    callgrind::dump_stats();
    work(10);
}

#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn threads(turns: u32) {
    let thread = thread::spawn(move || {
        callgrind::toggle_collect();
        work(turns);
        callgrind::toggle_collect();
        work(10);
    });
    thread.join().unwrap();
}

#[library_benchmark]
fn prints() {
    valgrind_println!("from a benchmark").unwrap();
}

library_benchmark_group!(
    name = parts;
    benchmarks = whole, part, zeroed, dumped, threads, prints
);
main!(library_benchmark_groups = parts);
