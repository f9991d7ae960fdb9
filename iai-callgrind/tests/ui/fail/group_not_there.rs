use iai_callgrind::{library_benchmark, library_benchmark_group};

mod module {
    pub fn not_annotated() {}
}

#[library_benchmark]
fn exists() {}

library_benchmark_group!(name = group; benchmarks = exists, exist, module::not_there);

fn main() {}
