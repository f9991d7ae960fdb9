use iai_callgrind::{binary_benchmark_group, library_benchmark_group};

mod module {
    pub fn not_annotated() {}
}

fn neither() {}

fn command() {}

library_benchmark_group!(name = functions; benchmarks = module::not_annotated, neither);
binary_benchmark_group!(name = commands; benchmarks = command);

fn main() {}
