//! The programs of a machine and the rights of its user, for installations.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;

use crate::command;

/// A machine; tests make one of their own out of a `PATH` that leads to stubs
#[derive(Debug, Clone)]
pub struct Machine {
    /// The directories of programs, as in `PATH`.
    pub path: OsString,
    /// True if a user can answer sudo's question for a password
    pub interactive: bool,
}

impl Machine {
    /// Returns the one that this program runs on.
    #[must_use]
    pub fn this() -> Self {
        // CI services often give a terminal without a user
        let interactive = io::stdin().is_terminal() && env::var_os("CI").is_none();
        Self { path: env::var_os("PATH").unwrap_or_default(), interactive }
    }

    /// Returns the path of the program.
    #[must_use]
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        which::which_in(program, Some(&self.path), command::root()).ok()
    }

    /// Returns a command whose program is one of this machine.
    pub fn command<S: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = command::new(self.find(program).unwrap_or_else(|| program.into()));
        command.args(arguments);
        if env::var_os("PATH").as_ref() != Some(&self.path) {
            command.env("PATH", &self.path);
        }
        command
    }

    /// Runs a line as root, by sudo where that is needed. Fails if this machine's user can't become root.
    pub fn run_as_root(&self, line: &str) -> Result<(), String> {
        let is_root =
            command::output(&mut self.command("id", ["-u"])).is_ok_and(|id| id.trim() == "0");
        let sudo: &[&str] = match (is_root, self.interactive) {
            (true, _) => &[],
            (false, true) => &["sudo"],
            (false, false) => &["sudo", "-n"],
        };
        let mut words = sudo.iter().copied().chain(line.split(' '));
        let program = words.next().unwrap_or_default();
        match command::run(&mut self.command(program, words))? {
            status if status.success() => Ok(()),
            _ => Err(format!("`{line}` failed")),
        }
    }
}
