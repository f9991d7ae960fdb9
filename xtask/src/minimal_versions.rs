//! `cargo xtask minimal-versions`: the workspace builds with the oldest versions that its manifests allow.
//!
//! Only a nightly cargo can choose them. It does so in a copy of the workspace, which gets a lock file of
//! its own.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::command;
use crate::rustup;
use crate::tally;

/// Chooses the versions and builds; only a failure is an error
pub(crate) fn run() -> Result<ExitCode, String> {
    let directory = command::target().join("minimal-versions");
    let workspace = directory.join("workspace");
    let files = command::output(command::new("git").args(["ls-files", "-z"]))?;
    let files = files.split_terminator('\0').filter(|file| *file != "Cargo.lock");
    copy(files, &workspace).map_err(|error| format!("can't copy the workspace: {error}"))?;

    let mut choose = rustup::cargo("nightly")?;
    choose.args(["generate-lockfile", "-Z", "direct-minimal-versions"]);
    let mut build = command::cargo(["check", "--locked", "--workspace", "--all-targets"]);
    build.args(["--all-features", "--target-dir"]).arg(directory.join("build"));
    let commands = [("choice of versions", choose), ("build", build)];
    Ok(tally::of(
        commands
            .into_iter()
            .map(|(name, mut command)| (name, tally::outcome(command.current_dir(&workspace)))),
    ))
}

/// Copies the checkout's files to where no others are left
fn copy<'a>(files: impl Iterator<Item = &'a str>, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in files {
        let (from, to) = (command::root().join(file), to.join(file));
        // One that was removed is still listed until that is committed
        if from.exists() {
            fs::create_dir_all(to.parent().unwrap_or(&to))?;
            fs::copy(from, to)?;
        }
    }
    Ok(())
}
