//! `cargo xtask peers`: this checkout side by side with the published peers.

use std::process::ExitCode;

use crate::command;
use crate::install;
use crate::machine::Machine;

/// The suite, seen from the workspace's root; it belongs to no checkout
const SUITE: &str = "../shared/peers/suite.py";

/// Runs the suite on this checkout, with `arguments` too
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode, String> {
    if !command::root().join(SUITE).exists() {
        return Err(format!(
            "the suite that times the peers is not part of this repository: {SUITE} is missing"
        ));
    }
    install::valgrind(&Machine::this())?;
    let mut suite = command::new("python3");
    suite.args([SUITE, "--ours", "."]).args(arguments);
    command::run(&mut suite).map(command::exit_code)
}
