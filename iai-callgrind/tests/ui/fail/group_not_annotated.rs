use iai_callgrind::library_benchmark_group;

mod module {
    pub fn not_annotated() {}
}

fn neither() {}

library_benchmark_group!(name = functions; benchmarks = module::not_annotated, neither);

fn main() {}
