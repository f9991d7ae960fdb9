//! The words with which the user starts a subcommand.

use std::env;

use iai_callgrind_plan::COMMAND_VARIABLE;

/// Returns the command line of a subcommand: with the words before it of the benchmark executable that started this program,
/// or with the name of the program.
pub(crate) fn command_line(subcommand: &str) -> String {
    let words = env::var(COMMAND_VARIABLE).ok();
    format!("{} {subcommand}", words.as_deref().unwrap_or("iai-callgrind-runner"))
}
