//! Subcommands that work with stored results and run no benchmarks.

mod annotation;
mod archive;
mod baselines;
mod comparison;
mod directory;
pub(crate) mod error;
mod explanation;
mod flamegraph;
mod list;
mod manifest;
mod merge;
pub(crate) mod report;
mod selection;
mod tables;

pub(crate) use self::directory::{existing_directory, new_directory, select_directory};
pub(crate) use self::selection::{select_metrics, select_mode};
pub(crate) use self::tables::{Comparison, ComparisonRow, metric_title, print_comparison};
use crate::cli::ResultsCommand;
use crate::error::Result;
use crate::outcome::CommandOutcome;

/// Runs a subcommand.
pub(crate) fn run(command: ResultsCommand) -> Result<CommandOutcome> {
    match command {
        ResultsCommand::List(options) => list::run(&options),
        ResultsCommand::Compare(options) => comparison::run(&options),
        ResultsCommand::Explain(options) => explanation::run(&options),
        ResultsCommand::Annotate(options) => annotation::run(&options),
        ResultsCommand::Flamegraph(options) => flamegraph::run(&options),
        ResultsCommand::Report(options) => report::run(&options),
        ResultsCommand::Export(options) => archive::export(&options),
        ResultsCommand::Import(options) => archive::import(&options),
        ResultsCommand::Baseline(command) => baselines::run(&command),
    }
}
