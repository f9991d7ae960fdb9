//! The library builds with the oldest versions that its manifests allow.
//!
//! A project that begins to use the library has a lock file, and cargo keeps the versions in it, such as that of toml here.
//! The runner is built with its own lock file. Only a nightly cargo can choose the oldest versions.

use std::process::Command;

use xtask::command;
use xtask::outcome::Outcome;
use xtask::package;
use xtask::tally;

use crate::rustup;

/// Builds a crate that depends on the library, if this machine can have the toolchain.
pub(crate) fn check() -> Outcome {
    match commands() {
        Ok(commands) => tally::outcomes(commands),
        Err(reason) => Outcome::Skipped(reason),
    }
}

/// Returns the commands that choose the versions, and that build with them.
fn commands() -> Result<[Command; 2], String> {
    let mut choose = rustup::cargo("nightly")?;
    let directory = command::target().join("minimal-versions");
    let manifest = format!(
        "[package]\nname = \"minimal-versions\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\ntoml = \"=0.9.0\"\n\n[dependencies.iai-callgrind]\npath = \"{}\"\nfeatures = [\"client_requests\"]\n",
        command::root().join("iai-callgrind").display()
    );
    package::write(&directory, &[("Cargo.toml", &manifest), ("src/lib.rs", "")])?;
    choose.args(["generate-lockfile", "-Z", "minimal-versions"]).current_dir(&directory);
    let mut build = command::cargo(["check", "--locked"]);
    build.arg("--target-dir").arg(directory.join("build")).current_dir(&directory);
    Ok([choose, build])
}
