//! The oldest supported Rust builds what users compile.

use xtask::command;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::rustup;

/// The `rust-version` of the workspace, which this crate inherits: `1.85`
const VERSION: &str = env!("CARGO_PKG_RUST_VERSION");

/// The crates that users compile
pub(crate) const CRATES: &[&str] = &[
    "iai-callgrind",
    "iai-callgrind-base",
    "iai-callgrind-bencher",
    "iai-callgrind-bencher-macros",
    "iai-callgrind-compare",
    "iai-callgrind-criterion",
    "iai-callgrind-debuginfo",
    "iai-callgrind-divan",
    "iai-callgrind-divan-macros",
    "iai-callgrind-environment",
    "iai-callgrind-explain",
    "iai-callgrind-flamegraph",
    "iai-callgrind-google-benchmark",
    "iai-callgrind-growth",
    "iai-callgrind-profile",
    "iai-callgrind-harness",
    "iai-callgrind-macros",
    "iai-callgrind-history",
    "iai-callgrind-plan",
    "iai-callgrind-process",
    "iai-callgrind-runner",
    "iai-callgrind-render",
    "iai-callgrind-results",
    "iai-callgrind-revisions",
    "iai-callgrind-store",
    "iai-callgrind-cli",
    "iai-callgrind-commands",
    "iai-callgrind-launch",
    "iai-callgrind-requests",
    "iai-callgrind-timing",
    "iai-callgrind-summary",
    "iai-callgrind-tools",
    "valgrind-headers",
    "valgrind-shim",
];

/// Builds the crates with the oldest supported Rust, if this machine can have it
pub(crate) fn check() -> Outcome {
    let mut cargo = match rustup::cargo(&format!("{VERSION}.0")) {
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
    tally::outcome(&mut cargo)
}
