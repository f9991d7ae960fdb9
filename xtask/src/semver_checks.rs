//! `cargo xtask semver-checks`: no change of the interface since the last release that users notice, by the rules of
//! semver.

use std::process::ExitCode;

use xtask::command;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::subcommand;

/// The crates whose interface users write against.
const CRATES: &[&str] = &[
    "iai-callgrind",
    "iai-callgrind-bencher",
    "iai-callgrind-criterion",
    "iai-callgrind-divan",
    "iai-callgrind-runner",
    "iai-callgrind-summary",
];

/// The first release on crates.io. Older versions under this name belong to another project.
const FIRST: &str = "iai-callgrind@1";

/// Compares with the last release on crates.io, once there is one.
pub(crate) fn run() -> Result<ExitCode, String> {
    let outcome = check()?;
    Ok(tally::print_all([("semver", outcome)]))
}

fn check() -> Result<Outcome, String> {
    let mut release = command::cargo(["info", "--quiet", "--registry", "crates-io", FIRST]);
    if let Err(error) = command::output(&mut release) {
        return Ok(Outcome::Skipped(format!("no release to compare with: {error}")));
    }
    subcommand::install("semver-checks")?;
    let mut check = command::cargo(["semver-checks"]);
    subcommand::find_in(check.args(CRATES.iter().flat_map(|name| ["--package", name])));
    Ok(tally::outcome(&mut check))
}
