//! Commands that the user gives in place of a benchmark file: the plan of those in a file of TOML.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    reason = "only the runner uses it"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod error;
mod file;
mod model;
mod parts;
#[cfg(test)]
mod tests;

pub use self::error::{CommandsError, Error, Result};
pub use self::file::{parse, read};
pub use self::parts::{Commands, GROUP, HookCommands, function, new_plan};
