//! A function that a benchmark in C++ calls as well.

use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[path = "squares/function.rs"]
mod function;

#[library_benchmark]
#[bench::below_100(100)]
fn squares(last: i64) -> i64 {
    function::squares(last)
}

library_benchmark_group!(name = group; benchmarks = squares);

main!(library_benchmark_groups = group);
