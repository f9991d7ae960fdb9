use iai_callgrind::{library_benchmark, library_benchmark_group, main};

fn set_up(_: u64) {}

#[library_benchmark]
fn function() {}

library_benchmark_group!(name = arguments; setup = set_up; teardown = |_: u64| (); benchmarks = function);
library_benchmark_group!(name = unknown; setup = not_there; benchmarks = function);

main!(teardown = "text".not_there(), library_benchmark_groups = arguments, unknown);
