//! Each tool takes limits and metrics of its own: single ones and groups.

use iai_callgrind::{
    Bbv, BbvMetric, BbvMetrics, Cachegrind, CachegrindMetric, CachegrindMetrics, Callgrind,
    CallgrindMetrics, Dhat, DhatMetric, DhatMetrics, Drd, ErrorMetric, ErrorMetrics, EventKind,
    FlamegraphConfig, Helgrind, LibraryBenchmarkConfig, Limit, Massif, MassifMetric, MassifMetrics,
    Memcheck, OutputFormat, RegressionConfig, library_benchmark, library_benchmark_group, main,
};

fn config() -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config
        .regression(RegressionConfig::default().limits([(EventKind::Ir, 5.0)]))
        .flamegraph(FlamegraphConfig::default().event_kinds([EventKind::L2hits]).min_width(0.5))
        .output_format(OutputFormat::default().tolerance(0.1))
        .tool(
            Callgrind::default()
                .soft_limits([(EventKind::Ir, 5.0), (EventKind::L2hits, 10.0)])
                .limits([(CallgrindMetrics::CacheHits, 5.0), (EventKind::Dr.into(), 1.0)])
                .hard_limits([(EventKind::Ir, 1000), (EventKind::Dr, 500)])
                .hard_limits([(EventKind::L1HitRate, 99.5)])
                .hard_limits([(CallgrindMetrics::Default, Limit::Int(1000))])
                .format([EventKind::Ir, EventKind::Dr]),
        )
        .tool(
            Cachegrind::default()
                .soft_limits([(CachegrindMetric::L2hits, 5.0)])
                .format([CachegrindMetrics::CacheSim, CachegrindMetric::Bc.into()]),
        )
        .tool(
            Dhat::default()
                .soft_limits([(DhatMetric::TotalBytes, 5.0)])
                .hard_limits([(DhatMetrics::All, 100)]),
        )
        .tool(
            Memcheck::default()
                .hard_limits([(ErrorMetrics::Leaks, 0)])
                .format([ErrorMetric::Errors, ErrorMetric::ReachableBytes]),
        )
        .tool(Helgrind::default().hard_limits([(ErrorMetric::Contexts, 1)]))
        .tool(Drd::default().format([ErrorMetrics::None]))
        .tool(Massif::default().soft_limits([(MassifMetric::PeakBytes, 1.0)]))
        .tool(Massif::default().format([MassifMetrics::All]))
        .tool(Bbv::default().format([BbvMetric::Intervals]).limits([(BbvMetrics::All, 1.0)]));
    config
}

#[library_benchmark(config = config())]
fn function() {}

library_benchmark_group!(name = group; benchmarks = function);

main!(library_benchmark_groups = group);
