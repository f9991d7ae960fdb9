use iai_callgrind::{LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main};

#[library_benchmark(config = 1)]
#[bench::wrong(config = "text")]
#[bench::of_another_type(config = String::new().len())]
#[bench::not_a_value(config = LibraryBenchmarkConfig)]
#[bench::unknown_method(config = LibraryBenchmarkConfig::default().environment("A", "b"))]
fn function() {}

library_benchmark_group!(name = group; config = || (); benchmarks = function);

main!(config = Some(LibraryBenchmarkConfig::default()); library_benchmark_groups = group);
