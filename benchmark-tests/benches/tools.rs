//! Benchmarks that run under all of Valgrind's tools.

#![allow(
    clippy::vec_box,
    clippy::needless_pass_by_value,
    reason = "blocks that are allocated and freed"
)]

use std::hint::black_box;
use std::process::Command;
use std::thread;

use iai_callgrind::{
    Dhat, EntryPoint, LibraryBenchmarkConfig, Memcheck, SanitizeOutput, Tool, ValgrindTool,
    library_benchmark, library_benchmark_group, main,
};

/// Allocates as many blocks as this, of 100 bytes each.
fn blocks(number: usize) -> Vec<Box<[u8; 100]>> {
    let mut blocks = Vec::with_capacity(number);
    blocks.resize_with(number, || Box::new(black_box([1; 100])));
    blocks
}

/// Keeps its blocks. The call is not in tail position, so the function is on the stack of its blocks.
#[inline(never)]
fn set_up(number: usize) -> Vec<Box<[u8; 100]>> {
    black_box(blocks(number))
}

/// Allocates three blocks of 100 bytes, and nothing else.
#[library_benchmark]
#[bench::after_set_up(args = (1000), setup = set_up)]
fn three_blocks(others: Vec<Box<[u8; 100]>>) -> ([Box<[u8; 100]>; 3], usize) {
    ([(); 3].map(|()| Box::new(black_box([1; 100]))), others.len())
}

/// Calls the function that allocates as the last thing it does.
#[library_benchmark]
#[bench::ten(10)]
fn tail_call(number: usize) -> Vec<Box<[u8; 100]>> {
    set_up(number)
}

/// Frees what set-up allocated, and allocates nothing.
#[library_benchmark]
#[bench::ten(args = (10), setup = set_up)]
fn frees(blocks: Vec<Box<[u8; 100]>>) {
    drop(blocks);
}

#[library_benchmark]
fn nothing() {}

#[library_benchmark]
fn in_a_thread() -> usize {
    thread::spawn(|| blocks(black_box(5)).len()).join().unwrap_or_default()
}

library_benchmark_group!(
    name = heap;
    benchmarks = three_blocks, tail_call, frees, nothing, in_a_thread
);

/// Counts other code than the benchmark function.
#[library_benchmark(setup = set_up)]
#[bench::everything(args = (20), config = dhat(Dhat::default().entry_point(EntryPoint::None)))]
#[bench::set_up_only(
    args = (20),
    config = dhat(Dhat::default().entry_point(EntryPoint::Custom("tools::set_up".to_owned())))
)]
#[bench::set_up_too(args = (20), config = dhat(Dhat::default().frames(["tools::set_up"])))]
#[bench::frames_only(
    args = (20),
    config = dhat(Dhat::default().entry_point(EntryPoint::None).frames(["*::set_?p"]))
)]
fn entry_points(others: Vec<Box<[u8; 100]>>) -> (Box<[u8; 100]>, usize) {
    (Box::new(black_box([1; 100])), others.len())
}

fn dhat(tool: &mut Dhat) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(tool);
    config
}

library_benchmark_group!(name = owners; benchmarks = entry_points);

/// Has files with the blocks that count, with all of them, and both.
#[library_benchmark(setup = set_up)]
#[bench::selected(20)]
#[bench::whole(args = (20), config = dhat(Dhat::default().sanitize_output(SanitizeOutput::No)))]
#[bench::both(args = (20), config = dhat(Dhat::default().sanitize_output(SanitizeOutput::KeepOrig)))]
fn stored(others: Vec<Box<[u8; 100]>>) -> (Box<[u8; 100]>, usize) {
    (Box::new(black_box([1; 100])), others.len())
}

library_benchmark_group!(name = files; benchmarks = stored);

/// Starts another process, which not every tool takes.
#[library_benchmark(
    config = LibraryBenchmarkConfig::default()
        .tool(Tool::new(ValgrindTool::DHAT).args(["--mode=heap"]).enable(true))
        .tool(Memcheck::with_args("--error-exitcode=0"))
)]
fn process() -> bool {
    Command::new("/bin/true").status().is_ok_and(|status| status.success())
}

library_benchmark_group!(name = processes; benchmarks = process);

main!(library_benchmark_groups = heap, owners, files, processes);
