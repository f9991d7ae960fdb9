//! Subcommands about commits: which one changed a count, the counts of all, and their record.

mod bisect;
mod history;
mod measured;

use iai_callgrind_cli::CommitsCommand;
use iai_callgrind_history::{RecordOptions, record};

use crate::error::Result;
use crate::outcome::CommandOutcome;
use crate::stored::select_directory;

/// Runs a subcommand.
pub(crate) fn run(command: CommitsCommand) -> Result<CommandOutcome> {
    match command {
        CommitsCommand::Bisect(options) => bisect::run(&options),
        CommitsCommand::History(options) => history::run(&options),
        CommitsCommand::Record(options) => {
            let home = select_directory(options.home.path())?;
            let recorded = RecordOptions {
                filters: &options.filters.all(),
                allow_dirty: options.allow_dirty,
                push: options.push.then_some(&*options.remote),
            };
            record(&home, &recorded)?;
            Ok(CommandOutcome::Success)
        }
    }
}
