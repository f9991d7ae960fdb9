//! Benchmarks of the program.

use iai_callgrind::{Command, binary_benchmark, binary_benchmark_group, main};

#[binary_benchmark]
fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sample")).args(["17", "4", "x", "42"]).build()
}

binary_benchmark_group!(name = group; benchmarks = program);

main!(binary_benchmark_groups = group);
