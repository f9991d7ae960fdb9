//! Subcommands for stored results.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use iai_callgrind_plan::{FlamegraphKind, Percentage};
use iai_callgrind_render::format::{self, FORMATS, Format};
use iai_callgrind_render::report::LineOrder;
use iai_callgrind_results::values::{parse_flamegraph_kind, parse_number_or, parse_percentage};

use super::output::ExplanationLength;
use super::tools::StoredLimits;

/// A subcommand for stored results.
#[derive(Debug, Subcommand)]
pub enum ResultsCommand {
    /// List the benchmarks with the names of their results
    ///
    /// @last is the result of the last run, @old of the run before. Other names are baselines.
    List(ListArgs),
    /// Compare two or more results of each benchmark in a table
    Compare(CompareArgs),
    /// Explain the differences of two results of each benchmark: which of your functions account for them
    Explain(ExplainArgs),
    /// Print your source lines with their costs, the hottest first
    ///
    /// The self cost of a line is the cost of the instructions compiled from it, with inlined code of libraries. The
    /// inclusive cost adds all code that the line calls. Your own inlined functions have costs at their own lines.
    Annotate(AnnotateArgs),
    /// Create flamegraphs of stored profiles of callgrind and print their paths
    Flamegraph(FlamegraphArgs),
    /// Print a report on stored results or on the output of `--output-format=json`
    Report(ReportArgs),
    /// Write a baseline to a compressed file
    Export(ExportArgs),
    /// Read a baseline from files of `export`
    ///
    /// The results of several files are merged, all of them or none.
    Import(ImportArgs),
    /// List or delete baselines
    #[command(subcommand)]
    Baseline(BaselineCommand),
    /// Delete the results of benchmarks that the project no longer has
    ///
    /// These are the results of benchmark files that their package does not have, and of benchmarks that were not in their
    /// benchmark file in its last run. All of their results are deleted, baselines as well.
    Prune(PruneArgs),
}

/// A subcommand of `baseline`.
#[derive(Debug, Subcommand)]
pub enum BaselineCommand {
    /// List the baselines with the number of their benchmarks
    List(HomeArgs),
    /// Delete the results of a baseline
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// Baseline to delete
    #[arg(value_name = "NAME")]
    pub name: String,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(long = "filter", value_name = "FILTER")]
    pub filters: Vec<String>,

    #[command(flatten)]
    pub home: HomeArgs,
}

/// Filters of benchmarks, as words or as options. Where words are something else, there are only the options.
#[derive(Debug, Default, Args)]
pub struct FilterArgs {
    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,

    /// The same as FILTER, in the form that all subcommands have
    #[arg(long = "filter", value_name = "FILTER")]
    filter_options: Vec<String>,
}

impl FilterArgs {
    /// Returns the filters. A benchmark is selected if any of them matches it.
    pub fn all(&self) -> Vec<String> {
        self.filters.iter().chain(&self.filter_options).cloned().collect()
    }
}

/// The directory of results.
#[derive(Debug, Args)]
pub struct HomeArgs {
    /// Use the results in this directory instead of target/iai
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_HOME")]
    home: Option<PathBuf>,
}

impl HomeArgs {
    pub fn path(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}

/// Options that select results.
#[derive(Debug, Args)]
pub struct Results {
    /// Compare with this baseline instead of the run before the last
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    /// Use this baseline as the new results instead of the last run
    #[arg(long, value_name = "NAME")]
    pub load_baseline: Option<String>,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(long = "filter", value_name = "FILTER")]
    pub filters: Vec<String>,
}

#[derive(Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    pub filters: FilterArgs,
    #[command(flatten)]
    pub home: HomeArgs,
}

#[derive(Debug, Args)]
pub struct PruneArgs {
    #[command(flatten)]
    pub filters: FilterArgs,

    /// List what would be deleted, and delete nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,

    #[command(flatten)]
    pub home: HomeArgs,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Result to compare with: the name of a baseline, @last or @old
    #[arg(value_name = "BASE")]
    base: String,

    /// Results that are compared with it
    #[arg(value_name = "OTHER", default_value = "@last")]
    others: Vec<String>,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(long = "filter", value_name = "FILTER")]
    pub filters: Vec<String>,

    /// Metrics to compare, each in a table: ir,@cachehits
    #[arg(long, value_name = "METRICS")]
    pub metrics: Option<String>,

    /// Group the benchmarks by this part of their names
    #[arg(long, value_name = "PART")]
    pub group_by: Option<GroupBy>,

    /// Show only benchmarks with a change of more than this percentage
    #[arg(long, value_name = "PERCENT", value_parser = parse_percentage)]
    pub threshold: Option<Percentage>,

    /// Explain the changes in the tables: your functions that account for them, and their kinds
    #[arg(long)]
    pub explain: bool,

    #[command(flatten)]
    pub length: ExplanationLength,

    #[command(flatten)]
    pub home: HomeArgs,

    #[command(flatten)]
    pub limits: StoredLimits,
}

impl CompareArgs {
    /// Returns the names of all results, the one that the others are compared with first.
    pub fn bases(&self) -> Vec<String> {
        [&self.base].into_iter().chain(&self.others).cloned().collect()
    }
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Result to compare with: the name of a baseline, @last, @old [default: @old]
    ///
    /// With --baseline, or if it can't be the name of a baseline, it is a filter.
    #[arg(value_name = "BASE")]
    base: Option<String>,

    /// Compare with this baseline instead of the run before the last
    #[arg(long, value_name = "NAME")]
    baseline: Option<String>,

    /// Use this baseline as the new results instead of the last run
    #[arg(long, value_name = "NAME")]
    pub load_baseline: Option<String>,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    pub length: ExplanationLength,

    #[command(flatten)]
    pub home: HomeArgs,
}

/// Returns true for a word with characters of paths and patterns, which no name of a result has.
#[must_use]
pub fn can_only_be_filter(word: &str) -> bool {
    word.contains(['*', '?', '[']) || word.contains("::")
}

impl ExplainArgs {
    /// Returns the result to compare with.
    pub fn base(&self) -> &str {
        let word = self.base.as_ref().filter(|word| !can_only_be_filter(word));
        self.baseline.as_ref().or(word).map_or("@old", String::as_str)
    }

    /// Returns the filters. The first word is one if an option names the base.
    pub fn filters(&self) -> Vec<String> {
        let is_filter = |word: &&String| self.baseline.is_some() || can_only_be_filter(word);
        let word = self.base.iter().filter(is_filter).cloned();
        word.chain(self.filters.all()).collect()
    }
}

#[derive(Debug, Args)]
#[command(mut_arg("filters", |filters| filters.required_unless_present("filter_options")))]
pub struct AnnotateArgs {
    #[command(flatten)]
    pub filters: FilterArgs,

    /// Compare with this baseline instead of the run before the last
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    /// Use this baseline as the new results instead of the last run
    #[arg(long, value_name = "NAME")]
    pub load_baseline: Option<String>,

    /// Number of lines to print for each benchmark
    #[arg(
        long, value_name = "N|all", default_value = "20",
        value_parser = |text: &str| parse_number_or(text, "all", usize::MAX)
    )]
    pub lines: usize,

    /// Sort the lines by this, the highest first
    #[arg(
        long,
        value_name = "self|inclusive|change",
        default_value = "self",
        hide_possible_values = true
    )]
    pub sort: LineOrder,

    /// Event of the profile; inclusive costs are those of Ir
    #[arg(long, value_name = "EVENT", default_value = "Ir")]
    pub event: String,

    /// Directory of the workspace [default: the directory of Cargo.lock]
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_WORKSPACE_ROOT")]
    pub workspace_root: Option<PathBuf>,

    #[command(flatten)]
    pub home: HomeArgs,
}

#[derive(Debug, Args)]
pub struct FlamegraphArgs {
    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(value_name = "FILTER")]
    words: Vec<String>,

    /// Kind of the flamegraphs
    #[arg(
        long, value_name = "all|regular|differential", default_value = "all",
        value_parser = parse_flamegraph_kind
    )]
    pub kind: FlamegraphKind,

    /// Metrics, each in a flamegraph: ir,estimatedcycles
    #[arg(long, value_name = "METRICS")]
    pub metrics: Option<String>,

    #[command(flatten)]
    pub results: Results,

    #[command(flatten)]
    pub home: HomeArgs,
}

impl FlamegraphArgs {
    /// Returns the filters. A benchmark is selected if any of them matches it.
    pub fn filters(&self) -> Vec<String> {
        self.words.iter().chain(&self.results.filters).cloned().collect()
    }
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// JSON files that runs printed or saved; by default the stored results are used
    #[arg(value_name = "FILE", conflicts_with_all = ["filters", "metrics", "baseline", "load_baseline"])]
    pub files: Vec<PathBuf>,

    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "markdown", value_parser = format())]
    pub format: &'static Format,

    /// Write pages for a browser into this directory instead: they have flamegraphs, source lines and the history as well
    #[arg(long, value_name = "DIRECTORY", conflicts_with = "format")]
    pub html: Option<PathBuf>,

    #[command(flatten)]
    pub results: Results,

    /// Metrics in the report: ir,@cachehits
    #[arg(long, value_name = "METRICS")]
    pub metrics: Option<String>,

    #[command(flatten)]
    pub length: ExplanationLength,

    #[command(flatten)]
    pub home: HomeArgs,

    #[command(flatten)]
    pub limits: StoredLimits,
}

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// File to write, a tar archive compressed with gzip
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Baseline to export
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub baseline: String,

    /// Select benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    #[arg(long = "filter", value_name = "FILTER")]
    pub filters: Vec<String>,

    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,

    #[command(flatten)]
    pub home: HomeArgs,
}

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Files to read, such as those of all shards
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Overwrite the baseline if it exists
    #[arg(long)]
    pub force: bool,

    /// Import even if shards, or results of their benchmarks, are missing
    #[arg(long)]
    pub allow_missing: bool,

    #[command(flatten)]
    pub home: HomeArgs,
}

fn format() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    PossibleValuesParser::new(names).try_map(|name| format::find(&name).ok_or("no such format"))
}

/// The property by which the rows of a table are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GroupBy {
    Package,
    File,
    Group,
    Function,
    Id,
}
