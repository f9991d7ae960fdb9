use iai_callgrind::{library_benchmark, library_benchmark_group, main};

#[library_benchmark]
fn function() {}

library_benchmark_group!(name = group; benchmarks = function);

mod module {
    iai_callgrind::library_benchmark_group!(name = group; benchmarks = crate::function);
}

main!(library_benchmark_groups = group, module::group);
