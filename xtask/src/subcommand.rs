//! Subcommands of cargo that are installed into the target directory if they are missing.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use xtask::command;

/// Returns the directory that they are installed to.
fn root() -> PathBuf {
    command::target().join("tools")
}

/// Has the command find them
pub(crate) fn find_in(command: &mut Command) -> &mut Command {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).chain([root().join("bin")]);
    // Only a quotation mark or a colon in the path of the checkout keeps them from being joined
    command.env("PATH", env::join_paths(places).unwrap_or(path))
}

/// Installs `cargo NAME` if it is missing
pub(crate) fn install(name: &str) -> Result<(), String> {
    let mut version = command::cargo([name, "--version"]);
    if command::succeeds(find_in(&mut version)) {
        return Ok(());
    }
    println!("cargo {name} is not installed; it is built now, once, which takes some minutes");
    let crate_name = format!("cargo-{name}");
    let mut install = command::cargo(["install", "--locked", &*crate_name, "--root"]);
    install.arg(root()).arg("--target-dir").arg(root().join("build"));
    match command::run(&mut install)? {
        status if status.success() => Ok(()),
        _ => Err(format!(
            "cargo {name} could not be installed; type this and start again:\n    \
             cargo install --locked {crate_name}"
        )),
    }
}
