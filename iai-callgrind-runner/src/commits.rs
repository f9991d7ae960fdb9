//! Subcommands about commits: which one changed a count, the counts of all, and their record.

mod bisect;
mod history;
mod measured;

use crate::cli::CommitsCommand;
use crate::error::Result;
use crate::history::record;
use crate::outcome::CommandOutcome;

/// Runs a subcommand.
pub(crate) fn run(command: CommitsCommand) -> Result<CommandOutcome> {
    match command {
        CommitsCommand::Bisect(options) => bisect::run(&options),
        CommitsCommand::History(options) => history::run(&options),
        CommitsCommand::Record(options) => record(&options),
    }
}
