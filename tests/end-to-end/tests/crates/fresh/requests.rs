use std::hint::black_box;

use iai_callgrind::client_requests::callgrind;
use iai_callgrind::{library_benchmark, library_benchmark_group, main, valgrind_println};

#[inline(never)]
fn work(turns: u32) {
    for turn in 0..turns {
        black_box(turn);
    }
}

#[library_benchmark]
#[bench::of_ten(10)]
#[bench::of_many(10_000)]
fn part(turns: u32) {
    callgrind::toggle_collect();
    work(turns);
    callgrind::toggle_collect();
    valgrind_println!("turns: {turns}").unwrap();
}

library_benchmark_group!(name = group; benchmarks = part);
main!(library_benchmark_groups = group);
