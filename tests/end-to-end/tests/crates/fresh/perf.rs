use std::time::Duration;

use gungraun::prelude::*;
use gungraun::{Limit, Perf, PerfMetric, PerfRunMode, Tool, Unit};

fn add(numbers: u64) -> u64 {
    (0..numbers).fold(0, |sum, number| std::hint::black_box(sum + number))
}

#[library_benchmark]
fn plain() -> u64 {
    add(10)
}

#[library_benchmark(config = LibraryBenchmarkConfig::default().tool(Perf::default()))]
fn timed() -> u64 {
    add(20)
}

#[library_benchmark]
#[bench::all(config = LibraryBenchmarkConfig::default().default_tool(Tool::Perf).tool(
    Perf::with_args(["--all-user"])
        .args(["--no-big-num"])
        .enable(true)
        .run_mode(PerfRunMode::Calibrate(Duration::from_secs(1)))
        .run_mode(PerfRunMode::DefaultCalibrate)
        .sample_duration(Duration::from_secs(1))
        .event_set("cycles,instructions")
        .event_sets(["task-clock", "{branches,branch-misses}"])
        .soft_limits([("task-clock", 5f64), ("cycles*", -2.0)])
        .hard_limits([("cycles", None, Limit::Int(10_000))])
        .hard_limits([(PerfMetric::from("task-clock").name(), Unit::Milliseconds, 2.5)])
        .alpha(0.01)
        .fail_fast(true)
        .non_zero_metrics(["cycles", "instructions"])
        .min_pcnt_running(80.0)
        .record(true)
        .record_args(["--call-graph", "dwarf"])
        .disable_entry_point(true)
))]
#[bench::disabled(
    config = LibraryBenchmarkConfig::default().tool(Perf::default().alpha(0.05).enable(false))
)]
fn part() -> u64 {
    let start = add(5);
    let token = gungraun::perf_enable!();
    let sum = add(start);
    gungraun::perf_disable!(token);
    gungraun::perf_log!("the sum is {sum}");
    sum
}

library_benchmark_group!(name = group, benchmarks = [plain, timed, part]);
main!(library_benchmark_groups = group);
