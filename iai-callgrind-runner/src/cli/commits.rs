//! Options of the subcommands that measure several commits.

use clap::{Args, Subcommand};
use iai_callgrind_plan::Percentage;

use super::metrics::parse_percentage;
use super::output::ExplanationLength;
use super::results::HomeArgs;
use crate::valgrind::Arguments;

/// A subcommand that measures several commits.
#[derive(Debug, Subcommand)]
pub(crate) enum CommitsCommand {
    /// Find the commit that changed a count between two commits
    ///
    /// Each step measures one commit in a git work tree: counts are exact, so that one run is enough. A commit that can't
    /// be built is skipped. Of merged branches the merge is one step. Results are kept, so that another call does not
    /// measure again.
    Bisect(BisectArgs),
    /// Measure the commits of a range and print a count of each
    History(HistoryArgs),
}

/// The benchmarks that are measured at each commit.
#[derive(Debug, Args)]
pub(crate) struct CommitArgs {
    /// Benchmark file to measure
    #[arg(long = "bench", value_name = "NAME")]
    pub(crate) file: String,

    /// Package of the benchmark file [default: the one that has it]
    #[arg(long, short, value_name = "NAME")]
    pub(crate) package: Option<String>,

    /// Metric to compare
    #[arg(long, value_name = "METRIC", default_value = "ir")]
    pub(crate) metric: String,

    /// Pass these arguments to `cargo bench`: '--features x'
    ///
    /// The text is split like words in a shell. Can be repeated.
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true, value_parser = Arguments::parse
    )]
    pub(crate) cargo_args: Vec<Arguments>,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BisectArgs {
    /// Commit, branch or tag with the old count
    #[arg(value_name = "GOOD")]
    pub(crate) good: String,

    /// Commit, branch or tag with the new count
    #[arg(value_name = "BAD")]
    pub(crate) bad: String,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// Search for a change of more than this percentage
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percentage)]
    pub(crate) limit: Percentage,

    #[command(flatten)]
    pub(crate) length: ExplanationLength,

    #[command(flatten)]
    pub(crate) commits: CommitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Range of commits, both of which are measured
    #[arg(value_name = "A..B")]
    pub(crate) range: String,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    #[command(flatten)]
    pub(crate) commits: CommitArgs,
}

/// Parses a percentage with or without its sign.
fn percentage(text: &str) -> Result<Percentage, String> {
    parse_percentage(text.trim_end_matches('%'))
}
