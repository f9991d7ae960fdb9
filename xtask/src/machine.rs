//! The programs of a machine and the rights of its user, for installations.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;

use crate::command;

/// A machine; tests make one of their own out of a `PATH` that leads to stubs
#[derive(Debug)]
pub struct Machine {
    /// The directories of programs, as in `PATH`.
    pub path: OsString,
    /// True if a user can answer sudo's question for a password
    pub interactive: bool,
}

/// The way in which this user becomes root
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Is root already
    Root,
    /// sudo, which asks for nothing
    Sudo,
    /// sudo, which asks for a password
    SudoWithPassword,
    /// Not at all
    None,
}

impl Machine {
    /// Returns the one that this program runs on.
    #[must_use]
    pub fn this() -> Self {
        // CI services often give a terminal without a user
        let interactive = io::stdin().is_terminal() && env::var_os("CI").is_none();
        Self { path: env::var_os("PATH").unwrap_or_default(), interactive }
    }

    /// Returns the same machine with the programs of administrators, which the `PATH` of others can lack.
    #[must_use]
    pub fn with_administration(mut self) -> Self {
        self.path.push(":/usr/sbin:/sbin");
        self
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

    /// Returns the way in which this machine's user becomes root.
    #[must_use]
    pub fn rights(&self) -> Rights {
        if command::output(&mut self.command("id", ["-u"])).is_ok_and(|id| id.trim() == "0") {
            Rights::Root
        } else if self.find("sudo").is_none() {
            Rights::None
        } else if command::succeeds(&mut self.command("sudo", ["-n", "true"])) {
            Rights::Sudo
        } else if self.interactive {
            Rights::SudoWithPassword
        } else {
            Rights::None
        }
    }
}
