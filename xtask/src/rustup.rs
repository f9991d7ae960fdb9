//! rustup's toolchains.

use std::process::Command;

use xtask::command;

/// Returns the cargo of this toolchain, which is installed if it is missing.
pub(crate) fn cargo(toolchain: &str) -> Result<Command, String> {
    let run = |program: &str| {
        let mut command = command::new("rustup");
        command.args(["run", toolchain, program]);
        command
    };
    if !command::succeeds(run("rustc").arg("--version")) {
        let mut install = command::new("rustup");
        let arguments = ["toolchain", "install", toolchain, "--profile", "minimal"];
        install.args(arguments).arg("--no-self-update");
        command::output(&mut install)?;
    }
    Ok(run("cargo"))
}

/// Adds targets to the toolchain in use, which keeps those that it has.
pub(crate) fn add_targets(targets: &[&str]) -> Result<(), String> {
    let mut add = command::new("rustup");
    add.args(["target", "add"]).args(targets);
    command::output(&mut add).map(drop)
}
