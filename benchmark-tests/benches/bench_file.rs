//! The documented example of the places of results; `my_lib` is a module here.

mod my_lib {
    pub(crate) fn my_function(value: u64) -> u64 {
        value + 1
    }
}

// as documented
use iai_callgrind::{library_benchmark, library_benchmark_group, main};
use my_lib::my_function;

#[library_benchmark]
#[bench::short(10)]
fn bench_function(value: u64) -> u64 {
    my_function(value)
}

library_benchmark_group!(
    name = bench_group;
    benchmarks = bench_function
);

main!(library_benchmark_groups = bench_group);
