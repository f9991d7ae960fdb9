use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn function() {}

library_benchmark_group!(name = group; benchmarks = function);

main!();
