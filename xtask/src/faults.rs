//! `cargo xtask faults`: what is left of results when runs are killed, when several run at once, and when the
//! disk is full.

use std::process::ExitCode;

use crate::command;
use crate::install;
use crate::machine::Machine;

/// Runs the fault suite, which is in the crate of the end-to-end tests; the exit code is 1 if something failed
pub(crate) fn run(kills: u32, seed: u64) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let suite =
        ["run", "--quiet", "-p", "benchmark-tests", "--bin", "benchmark-tests-faults", "--"];
    let mut suite = command::cargo(suite);
    suite.arg(kills.to_string()).arg(seed.to_string());
    command::run(&mut suite).map(command::exit_code)
}
