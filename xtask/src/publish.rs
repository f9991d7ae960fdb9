//! `cargo xtask package` and `cargo xtask publish`: the crates of a release. Cargo knows their order.

use std::process::ExitCode;

use xtask::command;

/// Publishes the crates without the upload: packages the work tree, and builds each crate from its package.
///
/// The crates are built against each other's packages, so that a file that is missing in one is noticed.
pub(crate) fn package() -> Result<ExitCode, String> {
    run(&["--dry-run", "--allow-dirty"])
}

/// Publishes the crates, each after those that it depends on.
pub(crate) fn publish() -> Result<ExitCode, String> {
    run(&[])
}

fn run(arguments: &[&str]) -> Result<ExitCode, String> {
    let mut publish = command::cargo(["publish", "--workspace", "--locked"]);
    command::run(publish.args(arguments)).map(command::exit_code)
}
