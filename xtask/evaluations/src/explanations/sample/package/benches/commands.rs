//! Benchmarks of the program.

use iai_callgrind::prelude::*;

#[binary_benchmark]
fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sample")).args(["17", "4", "x", "42"]).build()
}

main!();
