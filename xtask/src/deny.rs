//! `cargo xtask deny`: licences, sources, duplicate versions and known weaknesses of all dependencies, by the rules in
//! `deny.toml`.

use std::process::{Command, ExitCode};

use xtask::command;
use xtask::outcome::Outcome;
use xtask::tally;

use crate::subcommand;

/// The checks, each by itself
const CHECKS: [&str; 4] = ["licenses", "sources", "bans", "advisories"];

/// Checks all; only a failure is an error
pub(crate) fn run() -> Result<ExitCode, String> {
    subcommand::install("deny")?;
    Ok(tally::print_all(CHECKS.into_iter().map(|name| (name, check(name)))))
}

fn check(name: &str) -> Outcome {
    let is_database = name == "advisories";
    if is_database && !command::succeeds(&mut deny(&["fetch", "db"])) {
        return Outcome::Skipped("the database of advisories can't be reached".to_owned());
    }
    let mut check = deny(&["check", "--hide-inclusion-graph"]);
    if is_database {
        check.arg("--disable-fetch");
    }
    tally::outcome(check.arg(name))
}

fn deny(arguments: &[&str]) -> Command {
    let mut deny = command::cargo(["deny", "--all-features"]);
    subcommand::find_in(deny.args(arguments));
    deny
}
