//! Subcommands that work with stored results and run no benchmarks.

mod annotation;
mod baselines;
mod comparison;
mod directory;
pub(crate) mod error;
mod explanation;
mod flamegraph;
mod gone;
mod list;
mod prune;
pub(crate) mod report;
mod selection;

use iai_callgrind_cli::{ExportArgs, ImportArgs, ResultsCommand};
use iai_callgrind_render::report::{print_exported, print_imported};
use iai_callgrind_store::{Export, Import, Slot, check_results, export, import};

pub(crate) use self::directory::{
    current_directory, existing_directory, new_directory, select_directory,
};
pub(crate) use self::gone::Project;
pub(crate) use self::selection::{select_metrics, select_mode};
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
        ResultsCommand::Export(ExportArgs { file, baseline, filters, force, home }) => {
            let home = select_directory(home.path())?;
            check_results(&home, &filters, &Slot::baseline(&baseline)?)?;
            let baseline = Export { file: &file, baseline: &baseline, filters: &filters, force };
            let benchmarks = export(&home, &baseline)?;
            print_exported(baseline.baseline, benchmarks, &file)?;
            Ok(CommandOutcome::Success)
        }
        ResultsCommand::Import(ImportArgs { files, force, allow_missing, home }) => {
            let baselines = Import { files: &files, force, allow_missing };
            print_imported(&import(&select_directory(home.path())?, &baselines)?)?;
            Ok(CommandOutcome::Success)
        }
        ResultsCommand::Baseline(command) => baselines::run(&command),
        ResultsCommand::Prune(options) => prune::run(&options),
    }
}
