//! `cargo xtask faults`: what is left of results when runs are killed, when several run at once, and when the
//! disk is full.

use std::process::ExitCode;

use xtask::command;
use xtask::install;
use xtask::machine::Machine;

/// Runs the fault suite, which is one of the end-to-end tests; the exit code is not 0 if something failed
pub(crate) fn run(kills: u32, seed: u64) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let mut suite = command::cargo(["test", "--quiet", "--test", "e2e", "--"]);
    suite.args(["--ignored", "--nocapture", "--test-threads=1", "faults::"]);
    suite.env("FAULTS_KILLS", kills.to_string()).env("FAULTS_SEED", seed.to_string());
    command::run(&mut suite).map(command::exit_code)
}
