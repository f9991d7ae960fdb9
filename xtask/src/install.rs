//! Installs what a fresh machine lacks: Valgrind, and the parts of the Rust toolchain.

use crate::command;
use crate::machine::Machine;

/// A system's package manager, and the lines that root types for Valgrind.
///
/// Valgrind intercepts functions of the C library by its symbols. If these are in a package of their own, it is
/// installed too. Recommended packages are not installed: gdb is as large as all the rest. A fresh image of Debian has
/// no lists of packages.
const MANAGERS: &[(&str, &[&str])] = &[
    (
        "apt-get",
        &[
            "apt-get update",
            "env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends valgrind libc6-dbg",
        ],
    ),
    ("zypper", &["zypper --non-interactive install valgrind"]),
    ("dnf", &["dnf install --assumeyes valgrind"]),
    ("pacman", &["pacman --sync --refresh --needed --noconfirm valgrind"]),
    ("apk", &["apk add --update-cache valgrind musl-dbg"]),
];

/// Installs Valgrind if it is missing; the error says what to type
pub fn valgrind(machine: &Machine) -> Result<(), String> {
    if machine.find("valgrind").is_some() {
        return Ok(());
    }
    let Some((_, lines)) = MANAGERS.iter().find(|(program, _)| machine.find(program).is_some())
    else {
        return Err("Valgrind is not installed, and this system's package manager is none of \
                    those known here: install the package `valgrind`, or build it from \
                    https://valgrind.org, and start again"
            .into());
    };
    println!("Valgrind is not installed; this installs it");
    for line in *lines {
        // A failed line is ignored: one broken mirror fails `apt-get update`, although another mirror has Valgrind
        let _ = machine.run_as_root(line);
    }
    if machine.find("valgrind").is_some() {
        return Ok(());
    }
    let lines: Vec<_> = lines.iter().map(|line| format!("sudo {line}")).collect();
    let lines = lines.join(" && ");
    Err(format!("Valgrind could not be installed; type this and start again:\n    {lines}"))
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
    let missing = |part: fn(&Program) -> &'static str| {
        let missing = programs.iter().filter(|program| machine.find(program.name).is_none());
        missing.map(|program| part(program)).collect::<Vec<_>>()
    };
    let packages = missing(|program| program.packages).join(" ");
    if !packages.is_empty() && machine.find("apt-get").is_some() {
        let machine = Machine { interactive: false, ..machine.clone() };
        let options = "-qq install --yes --no-install-recommends";
        let install = format!("env DEBIAN_FRONTEND=noninteractive apt-get {options} {packages}");
        for line in ["apt-get -qq update", &install] {
            let _ = machine.run_as_root(line);
        }
    }
    match &*missing(|program| program.name) {
        [] => Ok(()),
        names => Err(format!("{} can't be found: apt-get install {packages}", names.join(", "))),
    }
}

/// Installs the toolchain's `component`, which is `cargo <subcommand>`, if it is missing
pub fn component(machine: &Machine, component: &str, subcommand: &str) -> Result<(), String> {
    let installed = || command::succeeds(&mut command::cargo([subcommand, "--version"]));
    if !installed() && machine.find("rustup").is_some() {
        command::run(&mut machine.command("rustup", ["component", "add", component]))?;
    }
    if installed() {
        return Ok(());
    }
    Err(format!(
        "{component} could not be installed; type this, or install your system's package, and start again:\n    \
         rustup component add {component}"
    ))
}

#[cfg(test)]
mod tests;
