//! The spelling of all texts, and the words that the glossary replaces, by the rules in `typos.toml`.

use std::path::PathBuf;
use std::process::Command;

use xtask::command;
use xtask::outcome::Outcome;
use xtask::tally;

/// Version of the program. Another one knows other words.
const VERSION: &str = "1.52.0";

/// Checks all files, if the program is installed or can be.
pub(crate) fn check() -> Outcome {
    let places = [PathBuf::from("typos"), directory().join("bin/typos")];
    let found = places.iter().find(|program| is_installed(program)).cloned();
    match found.map_or_else(install, Ok) {
        Ok(program) => tally::outcome(&mut command::new(program)),
        Err(reason) => Outcome::Skipped(reason),
    }
}

fn directory() -> PathBuf {
    command::target().join("tools/typos")
}

fn is_installed(program: &PathBuf) -> bool {
    let version = command::output(command::new(program).arg("--version"));
    version.is_ok_and(|text| text.trim_end().ends_with(VERSION))
}

/// Installs the program into the target directory: as a wheel in seconds or, without Python, by cargo in minutes.
fn install() -> Result<PathBuf, String> {
    let program = directory().join("bin/typos");
    let python = |arguments: &[&str]| run(command::new("python3").args(arguments).arg(directory()));
    let mut pip = command::new(directory().join("bin/pip"));
    pip.args(["install", "--quiet", &format!("typos=={VERSION}")]);
    if python(&["-m", "venv", "--clear"]) && run(&mut pip) {
        return Ok(program);
    }
    let mut cargo = command::cargo(["install", "--locked", "typos-cli", "--version", VERSION]);
    cargo.arg("--root").arg(directory());
    if run(&mut cargo) { Ok(program) } else { Err("typos could not be installed".to_owned()) }
}

fn run(command: &mut Command) -> bool {
    command::run(command).is_ok_and(|status| status.success())
}
