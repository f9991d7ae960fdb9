//! Installs what a fresh machine lacks: Valgrind, and the parts of the Rust toolchain.

use std::process::Command;

use crate::command;
use crate::machine::{Machine, Rights};

/// A system's package manager and what is typed for it, without becoming root
struct Manager {
    program: &'static str,
    /// Gets the list of packages, where the installation doesn't do that by itself
    refresh: Option<&'static str>,
    install: &'static str,
}

/// Valgrind intercepts functions of the C library by its symbols, so those come along where a
/// package of their own has them. What is only recommended stays away: it is gdb and as large again.
const MANAGERS: &[Manager] = &[
    Manager {
        program: "apt-get",
        // A fresh image has no lists
        refresh: Some("apt-get update"),
        install: "env DEBIAN_FRONTEND=noninteractive apt-get install --yes \
                  --no-install-recommends valgrind libc6-dbg",
    },
    Manager {
        program: "zypper",
        refresh: None,
        install: "zypper --non-interactive install valgrind",
    },
    Manager { program: "dnf", refresh: None, install: "dnf install --assumeyes valgrind" },
    Manager {
        program: "pacman",
        refresh: None,
        install: "pacman --sync --refresh --needed --noconfirm valgrind",
    },
    Manager { program: "apk", refresh: None, install: "apk add --update-cache valgrind musl-dbg" },
];

impl Manager {
    /// Returns all that is typed, in its order.
    fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.refresh.into_iter().chain([self.install])
    }
}

/// Installs Valgrind if it is missing; the error says what to type
pub fn valgrind(machine: &Machine) -> Result<(), String> {
    if machine.find("valgrind").is_some() {
        return Ok(());
    }
    let Some(manager) = MANAGERS.iter().find(|manager| machine.find(manager.program).is_some())
    else {
        return Err("Valgrind is not installed, and this system's package manager is none of \
                    those known here: install the package `valgrind`, or build it from \
                    https://valgrind.org, and start again"
            .into());
    };
    let prefix: &[&str] = match machine.rights() {
        Rights::Root => &[],
        Rights::Sudo => &["sudo", "-n"],
        Rights::SudoWithPassword => &["sudo"],
        Rights::None => return Err(by_hand("Valgrind is not installed", manager)),
    };
    println!("Valgrind is not installed; {} installs it now", manager.program);
    for line in manager.lines() {
        // Whether a line failed doesn't matter: one broken mirror fails `apt-get update`, and yet
        // Valgrind can be had from another
        command::run(&mut as_root(machine, prefix, line))?;
    }
    if machine.find("valgrind").is_some() {
        Ok(())
    } else {
        Err(by_hand("Valgrind could not be installed", manager))
    }
}

/// A program, and the packages of Debian that are installed to have it.
#[derive(Debug)]
pub struct Program {
    /// The name in `PATH`.
    pub name: &'static str,
    /// The packages, with spaces between them.
    pub packages: &'static str,
}

/// Installs the packages of missing programs if this system's packages are Debian's and no password is needed.
pub fn programs(machine: &Machine, programs: &[&Program]) -> Result<(), String> {
    let missing = || programs.iter().filter(|program| machine.find(program.name).is_none());
    let names = missing().map(|program| program.name).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return Ok(());
    }
    let packages = missing().map(|program| program.packages).collect::<Vec<_>>().join(" ");
    let prefix: &[&str] = match (machine.find("apt-get"), machine.rights()) {
        (None, _) => return Err(format!("{names} can't be found, and neither can apt-get")),
        (_, Rights::Root) => &[],
        (_, Rights::Sudo) => &["sudo", "-n"],
        (_, Rights::SudoWithPassword | Rights::None) => {
            return Err(format!("{names} can't be found: sudo apt-get install {packages}"));
        }
    };
    let install = format!(
        "env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends {packages}"
    );
    for line in ["apt-get -qq update", &install] {
        command::run(&mut as_root(machine, prefix, line))?;
    }
    let names = missing().map(|program| program.name).collect::<Vec<_>>().join(", ");
    if names.is_empty() { Ok(()) } else { Err(format!("{names} could not be installed")) }
}

/// Returns `line` as a command that root runs, thanks to `prefix`.
fn as_root(machine: &Machine, prefix: &[&str], line: &str) -> Command {
    let mut words = prefix.iter().copied().chain(line.split_whitespace());
    let program = words.next().expect("no line is empty");
    machine.command(program, words)
}

/// Returns the failure, and the commands that the user can type.
fn by_hand(what: &str, manager: &Manager) -> String {
    let lines: Vec<_> = manager.lines().map(|line| format!("sudo {line}")).collect();
    format!("{what}; type this and start again:\n    {}", lines.join(" && "))
}

/// Installs the toolchain's `component`, which is `cargo <subcommand>`, if it is missing
pub fn component(machine: &Machine, component: &str, subcommand: &str) -> Result<(), String> {
    let installed = || command::succeeds(&mut command::cargo([subcommand, "--version"]));
    if installed() {
        return Ok(());
    }
    if machine.find("rustup").is_none() {
        return Err(format!(
            "`cargo {subcommand}` is missing, and so is rustup: install your system's package of \
             {component} and start again"
        ));
    }
    command::run(&mut machine.command("rustup", ["component", "add", component]))?;
    if installed() {
        Ok(())
    } else {
        Err(format!(
            "{component} could not be installed; type this and start again:\n    \
             rustup component add {component}"
        ))
    }
}

#[cfg(test)]
mod tests;
