//! The words with which the user starts a subcommand.

use std::env;

use iai_callgrind_plan::COMMAND_VARIABLE;

/// Returns the command line of a subcommand: with the words before it of the benchmark executable that started this program,
/// or with the name of the program.
pub(crate) fn command_line(subcommand: &str) -> String {
    format!("{} {subcommand}", program())
}

/// Returns the words before a subcommand.
pub(crate) fn program() -> String {
    env::var(COMMAND_VARIABLE).unwrap_or_else(|_| "iai-callgrind-runner".to_owned())
}
