//! The words with which the user starts a subcommand.

use std::env;

use iai_callgrind_plan::COMMAND_VARIABLE;

/// Returns the command line of a subcommand, with the words that the benchmark executable passed
/// on, or else with the name of the program.
pub fn command_line(subcommand: &str) -> String {
    format!("{} {subcommand}", program())
}

/// Returns the command line that runs a benchmark file with an option. Cargo's name for the file
/// can differ from that of its crate, and the benchmark executable knows it.
pub fn bench_command_line(file: &str, option: &str) -> String {
    let words =
        env::var(COMMAND_VARIABLE).unwrap_or_else(|_| format!("cargo bench --bench {file} --"));
    format!("{words} {option}")
}

/// Returns the words before a subcommand.
pub fn program() -> String {
    env::var(COMMAND_VARIABLE).unwrap_or_else(|_| "iai-callgrind-runner".to_owned())
}
