//! Counts all instructions of an awk script, from the start of the interpreter to its end.

use std::fs;

use iai_callgrind::{BinaryBenchmarkConfig, Command, Sandbox, binary_benchmark, main};

/// Writes the input into the directory of the command.
fn write_text(lines: usize) {
    fs::write("text.txt", "the quick brown fox jumps over the lazy dog\n".repeat(lines)).unwrap();
}

#[binary_benchmark(
    setup = write_text,
    config = BinaryBenchmarkConfig::default()
        .sandbox(Sandbox::new(true).fixtures(["word_count.awk"]))
)]
#[bench::ten(10)]
#[bench::hundred(100)]
fn word_count(_lines: usize) -> Command {
    Command::new("awk").args(["-f", "word_count.awk", "text.txt"]).build()
}

main!();
