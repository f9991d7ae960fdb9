//! `cargo xtask bench`: from a fresh machine to the first benchmark's numbers.

use std::process::ExitCode;

use xtask::command;
use xtask::install;
use xtask::machine::Machine;

/// Runs the Quickstart benchmark with `arguments` and ends as it does
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let mut bench = command::cargo(["bench", "-p", "benchmark-tests", "--bench", "quickstart"]);
    if !arguments.is_empty() {
        bench.arg("--").args(arguments);
    }
    command::run(&mut bench).map(command::exit_code)
}
