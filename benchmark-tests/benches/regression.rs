//! The documented example of a limit: 5 % for all benchmarks, instead of the default of 10 %.

use iai_callgrind::{
    Callgrind, EventKind, LibraryBenchmarkConfig, RegressionConfig, library_benchmark,
    library_benchmark_group, main,
};

#[library_benchmark]
#[bench::five_percent(100)]
#[bench::default(args = (100), config = LibraryBenchmarkConfig::default().regression(RegressionConfig::default()))]
#[bench::hard(
    args = (100),
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().hard_limits([(EventKind::Ir, 10)]))
)]
#[bench::fail_fast(
    args = (100),
    config = LibraryBenchmarkConfig::default()
        .regression(RegressionConfig::default().limits([(EventKind::Ir, -5.0)]).fail_fast(true))
)]
#[bench::after(100)]
fn sum(number: u64) -> u64 {
    (0..number).map(std::hint::black_box).sum()
}

library_benchmark_group!(name = some_group; benchmarks = sum);

// as documented
main!(
    config = LibraryBenchmarkConfig::default()
        .regression(
            RegressionConfig::default()
                .limits([(EventKind::Ir, 5.0)])
        );
    library_benchmark_groups = some_group
);
