//! The sub-commands that work with stored results.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use iai_callgrind_plan::{FlamegraphKind, Percentage};

use super::metrics::parse_percentage;
use super::tools::flamegraph_kind;
use crate::format::{self, FORMATS, Format};

/// The sub-commands that run nothing.
#[derive(Debug, Subcommand)]
pub(crate) enum ResultsCommand {
    /// List the benchmarks that have results, with the names of these
    ///
    /// @last are those of the last run, @old of the one before; the others are baselines.
    List(ListArgs),
    /// Compare two or more results of each benchmark in a table
    Compare(CompareArgs),
    /// Make flamegraphs of callgrind's stored profiles, and print their paths
    Flamegraph(FlamegraphArgs),
    /// Print a report, of stored results or of what `--output-format=json` printed
    Report(ReportArgs),
    /// Write a baseline to one compressed file
    Export(ExportArgs),
    /// Read a baseline from a file that `export` wrote
    Import(ImportArgs),
}

/// Where results are.
#[derive(Debug, Args)]
pub(crate) struct HomeArgs {
    /// The directory with the results instead of target/iai of the package in the current directory
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_HOME")]
    home: Option<PathBuf>,
}

impl HomeArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}

/// Which results a sub-command is about.
#[derive(Debug, Args)]
pub(crate) struct Results {
    /// Compare with this baseline instead of the results before the last run
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,

    /// Take this baseline as the new results instead of those of the last run
    #[arg(long, value_name = "NAME")]
    pub(crate) load_baseline: Option<String>,

    /// Only the benchmarks whose name contains this, or that a pattern with * and ? matches
    #[arg(long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only the benchmarks whose name contains this, or that a pattern with * and ? matches
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The results to compare: names of baselines, @last, @old
    ///
    /// The others are compared with the first.
    #[arg(value_name = "BASE", num_args = 2.., required = true)]
    pub(crate) bases: Vec<String>,

    /// Only the benchmarks whose name contains this, or that a pattern with * and ? matches
    #[arg(long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// The metrics to compare, a table for each: ir,@cachehits
    #[arg(long, value_name = "METRICS")]
    pub(crate) metrics: Option<String>,

    /// Put benchmarks together that have this in common
    #[arg(long, value_name = "PART")]
    pub(crate) group_by: Option<GroupBy>,

    /// Only the benchmarks that differ by more than this percentage
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub(crate) threshold: Option<Percentage>,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FlamegraphArgs {
    /// Which ones: of the new profile, with what changed in it, or both
    #[arg(
        long, value_name = "all|regular|differential", default_value = "all",
        value_parser = flamegraph_kind
    )]
    pub(crate) kind: FlamegraphKind,

    /// The metrics that one is made for each of: ir,estimatedcycles
    #[arg(long, value_name = "METRICS")]
    pub(crate) metrics: Option<String>,

    #[command(flatten)]
    pub(crate) results: Results,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Files with summaries in JSON: what runs printed or saved. Without any, the stored results
    #[arg(value_name = "FILE", conflicts_with_all = ["filters", "metrics", "baseline", "load_baseline"])]
    pub(crate) files: Vec<PathBuf>,

    /// The format of the report
    #[arg(long, value_name = "FORMAT", default_value = "markdown", value_parser = format())]
    pub(crate) format: &'static Format,

    #[command(flatten)]
    pub(crate) results: Results,

    /// The metrics that the report shows: ir,@cachehits
    #[arg(long, value_name = "METRICS")]
    pub(crate) metrics: Option<String>,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write: a tar archive, compressed with gzip
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The baseline
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) baseline: String,

    /// Only the benchmarks whose name contains this, or that a pattern with * and ? matches
    #[arg(long = "filter", value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// Overwrite the file if it is there
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to read
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Overwrite the baseline where it is there
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) home: HomeArgs,
}

fn format() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| format::named(&name).ok_or("no such format"))
}

/// What the rows of a table have in common that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    Package,
    File,
    Group,
    Function,
    Id,
}
