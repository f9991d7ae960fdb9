//! The runner's parsers under its own measurement, each with a limit for its instructions.

#![expect(clippy::needless_pass_by_value, reason = "setup returns the inputs by value")]

use std::fs;
use std::path::Path;

use iai_callgrind::{
    Callgrind, EventKind, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
use iai_callgrind_runner::fuzzing;

/// Reads an input, given by its path from the directory of the package.
fn input(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the file can be read")
}

/// Returns a configuration with a limit for the instructions, and with temporary files in a directory of the case. All
/// cases have the same random numbers: elsewhere their files had the same names, and new ones would be tried.
fn limit(instructions: u64) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default()
        .sandbox(true)
        .env("TMPDIR", ".")
        .tool(Callgrind::default().hard_limits([(EventKind::Ir, instructions)]))
        .clone()
}

#[library_benchmark(config = limit(4_900_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-profile/tests/fixtures/callgrind/heap_lazy_binding.out"), setup = input)]
fn callgrind(content: Vec<u8>) {
    fuzzing::callgrind(&content);
}

#[library_benchmark(config = limit(56_500_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-profile/tests/fixtures/callgrind/heap_lazy_binding.out"), setup = input)]
fn merge(content: Vec<u8>) {
    fuzzing::merge(&content);
}

#[library_benchmark(config = limit(13_000_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-profile/tests/fixtures/callgrind/heap_lazy_binding.out"), setup = input)]
fn flamegraph(content: Vec<u8>) {
    fuzzing::flamegraph(&content);
}

#[library_benchmark(config = limit(190_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-tools/tests/fixtures/cachegrind/simulation_324.out"), setup = input)]
fn cachegrind(content: Vec<u8>) {
    fuzzing::cachegrind(&content);
}

#[library_benchmark(config = limit(4_300_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-tools/tests/fixtures/dhat/threads_324.out"), setup = input)]
fn dhat(content: Vec<u8>) {
    fuzzing::dhat(&content);
}

#[library_benchmark(config = limit(316_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-tools/tests/fixtures/massif/threads_324.out"), setup = input)]
fn massif(content: Vec<u8>) {
    fuzzing::massif(&content);
}

#[library_benchmark(config = limit(2_460_000))]
#[bench::fixture(args = ("../../crates/iai-callgrind-tools/tests/fixtures/errors/memcheck_processes_324.log"), setup = input)]
fn log(content: Vec<u8>) {
    fuzzing::log(&content);
}

#[library_benchmark(config = limit(2_900_000))]
#[bench::corpus(args = ("../../tests/fuzz/corpus/plan/commands.json"), setup = input)]
fn plan(content: Vec<u8>) {
    fuzzing::plan(&content);
}

library_benchmark_group!(
    name = parsers;
    benchmarks = callgrind, merge, flamegraph, cachegrind, dhat, massif, log, plan
);

main!(library_benchmark_groups = parsers);
