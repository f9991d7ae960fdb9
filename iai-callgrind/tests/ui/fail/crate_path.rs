use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark(crate = "iai_callgrind")]
fn text() {}

library_benchmark_group!(name = group; benchmarks = text);

main!(library_benchmark_groups = group);
