//! `cargo xtask msrv`: the oldest supported Rust builds what users compile.

use std::process::{Command, ExitCode};

use crate::command;
use crate::outcome::Outcome;

/// The `rust-version` of the workspace, which this crate inherits: `1.85`
const VERSION: &str = env!("CARGO_PKG_RUST_VERSION");

/// The crates that users compile
const CRATES: &[&str] = &[
    "iai-callgrind",
    "iai-callgrind-macros",
    "iai-callgrind-runner",
    "valgrind-headers",
    "valgrind-shim",
];

/// Checks and says how it ended; only a failure is an error
pub(crate) fn run() -> ExitCode {
    let outcome = check();
    match &outcome {
        Outcome::Skipped(reason) => println!("skipped: {reason}"),
        Outcome::Passed => println!("passed with Rust {VERSION}"),
        Outcome::Failed(_) => println!("FAILED with Rust {VERSION}"),
    }
    if outcome.is_failure() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Builds the crates with the oldest supported Rust, if this machine can have it
pub(crate) fn check() -> Outcome {
    let mut cargo = match rustup() {
        Ok(cargo) => cargo,
        Err(reason) => return Outcome::Skipped(format!("no Rust {VERSION}: {reason}")),
    };
    // The lock file is the one that the other checks use: its versions are the ones to support
    cargo
        .args(["check", "--locked", "--features", "client_requests", "--target-dir"])
        .arg(command::target().join("msrv/build"));
    for name in CRATES {
        cargo.args(["-p", name]);
    }
    match command::run(&mut cargo) {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(_) => Outcome::Failed(vec![command::line(&cargo)]),
        Err(error) => Outcome::Failed(vec![error]),
    }
}

/// The cargo of rustup's toolchain, which is installed if it is missing
fn rustup() -> Result<Command, String> {
    let toolchain = format!("{VERSION}.0");
    let mut cargo = command::new("rustup");
    cargo.args(["run", &toolchain, "cargo"]);

    let mut version = command::new("rustup");
    version.args(["run", &toolchain, "rustc", "--version"]);
    if command::succeeds(&mut version) {
        return Ok(cargo);
    }
    let mut install = command::new("rustup");
    install.args(["toolchain", "install", &toolchain, "--profile", "minimal", "--no-self-update"]);
    command::output(&mut install)?;
    Ok(cargo)
}
