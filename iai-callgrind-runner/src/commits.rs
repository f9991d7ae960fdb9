//! Subcommands that measure several commits: which one changed a count, and the counts of all.

mod bisect;
mod history;
mod measured;

use std::process::ExitCode;

use crate::cli::CommitsCommand;
use crate::error::Result;

/// Runs a subcommand.
pub(crate) fn run(command: CommitsCommand) -> Result<ExitCode> {
    match command {
        CommitsCommand::Bisect(options) => bisect::run(&options),
        CommitsCommand::History(options) => history::run(&options),
    }
}
