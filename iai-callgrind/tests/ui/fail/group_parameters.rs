use iai_callgrind::{library_benchmark, library_benchmark_group};

mod module {
    #[iai_callgrind::library_benchmark]
    pub fn a() {}
}

#[library_benchmark]
fn a() {}

library_benchmark_group!();
library_benchmark_group!(benchmarks = a);
library_benchmark_group!(name = no_benchmarks);
library_benchmark_group!(name = empty_list; benchmarks = []);
library_benchmark_group!(name = empty; benchmarks = );
library_benchmark_group!(name = unknown; benchmark = a);
library_benchmark_group!(name = twice; name = twice; benchmarks = a);
library_benchmark_group!(name = "text"; benchmarks = a);
library_benchmark_group!(name = a::b; benchmarks = a);
library_benchmark_group!(name = two, names; benchmarks = a);
library_benchmark_group!(name = same; benchmarks = a, a);
library_benchmark_group!(name = same_name; benchmarks = a, module::a);
library_benchmark_group!(name = calls; benchmarks = a(), "a");
library_benchmark_group!(a);

fn main() {}
