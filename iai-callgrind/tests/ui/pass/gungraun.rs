//! The names and methods of gungraun 0.20, used as its benchmark files use them.

#![deny(warnings)]

use std::path::PathBuf;
use std::time::Duration;

use gungraun::prelude::*;
use gungraun::{
    Bbv, Bench, BenchmarkId, BinaryBenchmark, BinaryBenchmarkGroup, Cachegrind, CachegrindMetric,
    CachegrindMetrics, Callgrind, CallgrindMetrics, Delay, DelayKind, Dhat, DhatMetric,
    DhatMetrics, Direction, Drd, EntryPoint, ErrorMetric, EventKind, ExitWith, FlamegraphConfig,
    FlamegraphKind, Helgrind, Limit, Massif, Memcheck, OutputFormat, Pipe, Sandbox, SanitizeOutput,
    Stdin, Stdio, Tool, binary_benchmark_attribute,
};
use iai_callgrind as gungraun;

fn tools() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .default_tool(Tool::DHAT)
        .tool(
            Callgrind::with_args(["branch-sim=yes"])
                .args(["--dump-instr=yes"])
                .flamegraph(
                    FlamegraphConfig::default()
                        .kind(FlamegraphKind::All)
                        .negate_differential(true)
                        .normalize_differential(true)
                        .event_kinds([EventKind::Ir])
                        .direction(Direction::TopToBottom)
                        .title("title".to_owned())
                        .subtitle("subtitle".to_owned())
                        .min_width(0.1),
                )
                .soft_limits([(EventKind::Ir, 5.0)])
                .hard_limits([(EventKind::Ir, 100_000)])
                .fail_fast(true)
                .entry_point(EntryPoint::Custom("module::*".to_owned()))
                .format([CallgrindMetrics::Default, EventKind::L1hits.into()])
                .enable(true),
        )
        .tool(
            Cachegrind::default()
                .soft_limits([(CachegrindMetric::Ir, 5.0)])
                .format([CachegrindMetrics::All]),
        )
        .tool(
            Dhat::default()
                .frames(["module::function"])
                .sanitize_output(SanitizeOutput::KeepOrig)
                .entry_point(EntryPoint::None)
                .hard_limits([(DhatMetric::TotalBytes, Limit::Int(10))])
                .format([DhatMetrics::Default]),
        )
        .tool(Memcheck::default().format([ErrorMetric::Errors]))
        .tools([Helgrind::default()])
        .tool_override(Drd::default())
        .tools_override([Massif::default()])
        .tool(Bbv::default())
        .valgrind_args(["--num-callers=10"])
        .env("KEY", "value")
        .envs([("OTHER", "value")])
        .env_clear(false)
        .pass_through_env("HOME")
        .pass_through_envs(["USER"])
        .output_format(
            OutputFormat::default()
                .truncate_description(Some(100))
                .show_intermediate(true)
                .show_grid(true)
                .tolerance(0.5),
        )
        .clone()
}

/// Remains unused, because test mode needs the runner for it.
#[allow(dead_code)]
fn places() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["tests"]).follow_symlinks(true))
        .current_dir(PathBuf::from("tests"))
        .clone()
}

#[library_benchmark(config = tools())]
#[bench::single(1)]
#[benches::several(args = [2, 3])]
#[benches::items(iter = 0..3)]
fn square(number: u64) -> u64 {
    std::hint::black_box(number * number)
}

#[library_benchmark(setup = |number: usize| vec![0_u8; number], teardown = drop)]
#[bench::arrays(consts = [4], args = (4))]
fn array<const N: usize>(bytes: Vec<u8>) -> [u8; N] {
    bytes.try_into().unwrap()
}

library_benchmark_group!(
    name = functions,
    config = LibraryBenchmarkConfig::default(),
    compare_by_id = true,
    max_parallel = 1,
    setup = println!("setup"),
    teardown = println!("teardown"),
    benchmarks = [square, array]
);

mod binary {
    use super::*;

    #[binary_benchmark(setup = println!("input"))]
    #[bench::pipe(Stdin::Setup(Pipe::Stdout))]
    fn cat(stdin: Stdin) -> Command {
        Command::new("cat")
            .args(["-"])
            .stdin(stdin)
            .stdout(Stdio::Inherit)
            .exit_with(ExitWith::Success)
            .delay(Delay::new(DelayKind::DurationElapse(Duration::from_millis(1))))
            .current_dir("/tmp")
            .build()
    }

    binary_benchmark_group!(
        name = commands,
        benchmarks = |group: &mut BinaryBenchmarkGroup| {
            group.binary_benchmark(binary_benchmark_attribute!(cat)).binary_benchmark(
                BinaryBenchmark::new(BenchmarkId::with_parameter("echo", 1))
                    .config(BinaryBenchmarkConfig::default().sandbox(Sandbox::new(false)))
                    .bench(Bench::new("word").command(Command::new("echo").arg("word"))),
            );
        }
    );

    main!(config = BinaryBenchmarkConfig::default(), binary_benchmark_groups = commands);

    pub fn use_main() {
        let _: fn() -> std::process::ExitCode = main;
    }
}

main!(config = LibraryBenchmarkConfig::default(), library_benchmark_groups = functions);
