//! Configuration on all levels: each benchmark's title says what it is to find.

use std::env;
use std::hint::black_box;

use iai_callgrind::{
    Callgrind, EntryPoint, LibraryBenchmarkConfig, OutputFormat, library_benchmark,
    library_benchmark_group, main,
};

/// Returns a number. Not inlined, so that it can be an entry point.
#[inline(never)]
fn inner(number: u64) -> u64 {
    (0..number).map(black_box).sum()
}

fn of_group() -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().env("LEVEL", "group").env("GROUP", "yes").clone()
}

/// Prints the variables that the levels set.
fn print_levels() {
    for name in ["LEVEL", "MAIN", "GROUP", "FUNCTION", "CASE", "PASSED"] {
        if let Ok(value) = env::var(name) {
            println!("{name}={value}");
        }
    }
}

#[library_benchmark(config = LibraryBenchmarkConfig::default().envs([("LEVEL", "function"), ("FUNCTION", "yes")]))]
#[bench::plain()]
#[bench::own(
    config = LibraryBenchmarkConfig::default()
        .env("LEVEL", "case")
        .env("CASE", "yes")
        .pass_through_envs(["PASSED", "IS_NOT_SET"])
)]
fn levels() {
    print_levels();
}

#[library_benchmark]
#[bench::of_group()]
fn upper_levels() {
    print_levels();
}

#[library_benchmark(config = LibraryBenchmarkConfig::default().env_clear(false))]
fn not_cleared() {
    print_levels();
}

library_benchmark_group!(
    name = environment;
    config = of_group();
    benchmarks = levels, upper_levels, not_cleared
);

fn numbers() -> Vec<u64> {
    (0..1000).collect()
}

/// Runs with these options of callgrind.
#[library_benchmark]
#[bench::default(1000)]
#[bench::no_caches(
    args = (1000), config = LibraryBenchmarkConfig::with_raw_callgrind_args(["--cache-sim=no"])
)]
#[bench::without_dashes(
    args = (1000), config = LibraryBenchmarkConfig::default().raw_callgrind_args_iter(["cache-sim=no"])
)]
#[bench::inner(
    args = (1000),
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().entry_point(EntryPoint::Custom("configuration::inner".to_owned())))
)]
#[bench::none(
    args = (1000),
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().entry_point(EntryPoint::None))
)]
#[bench::toggled(
    args = (1000),
    config = LibraryBenchmarkConfig::default().tool(
        Callgrind::with_args(["--toggle-collect=configuration::inner"]).entry_point(EntryPoint::None)
    )
)]
#[bench::no_match(
    args = (1000),
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::default().entry_point(EntryPoint::Custom("configuration::outer".to_owned())))
)]
fn counted(number: u64) -> u64 {
    black_box(inner(number)) + black_box(inner(number))
}

#[library_benchmark(setup = numbers)]
#[bench::warm()]
#[bench::cold(config = LibraryBenchmarkConfig::default().tool(Callgrind::default().cold_caches(true)))]
fn sum(numbers: Vec<u64>) -> u64 {
    numbers.into_iter().sum()
}

#[library_benchmark(
    config = LibraryBenchmarkConfig::default().tool(Callgrind::default().cold_caches(true))
)]
fn process_with_cold_caches() {
    std::process::Command::new("/bin/true").status().unwrap();
}

library_benchmark_group!(
    name = callgrind;
    benchmarks = counted, sum, process_with_cold_caches
);

#[library_benchmark(
    config = LibraryBenchmarkConfig::default()
        .output_format(OutputFormat::default().truncate_description(Some(10)).show_intermediate(true))
)]
#[bench::short("a long argument")]
#[bench::long(args = ("a long argument"), config = LibraryBenchmarkConfig::default().truncate_description(None))]
fn titles(_: &str) {
    std::thread::spawn(|| black_box(inner(10))).join().unwrap();
}

library_benchmark_group!(name = output; benchmarks = titles);

main!(
    config = LibraryBenchmarkConfig::default().env("LEVEL", "main").env("MAIN", "yes");
    library_benchmark_groups = environment, callgrind, output
);
