//! `cargo xtask peers`: times this checkout next to the published peers.

use std::path::Path;
use std::process::ExitCode;

use xtask::command;
use xtask::install;
use xtask::machine::Machine;

/// Runs the script on this checkout with these arguments.
pub(crate) fn run(script: &Path, arguments: &[String]) -> Result<ExitCode, String> {
    install::valgrind(&Machine::this())?;
    let mut python = command::new("python3");
    python.arg(script).args(["--ours", "."]).args(arguments);
    command::run(&mut python).map(command::exit_code)
}
