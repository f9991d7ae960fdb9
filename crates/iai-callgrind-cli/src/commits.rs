//! Options of the subcommands that measure several commits.

use std::env;

use clap::{Args, Subcommand};
use iai_callgrind_plan::{FILE_VARIABLE, Percentage};
use iai_callgrind_results::values::parse_percentage;
use iai_callgrind_tools::valgrind::Arguments;

use super::baselines::BenchesArgs;
use super::output::ExplanationLength;
use super::results::{FilterArgs, HomeArgs};
use crate::error::OptionsError;

/// A subcommand that measures several commits.
#[derive(Debug, Subcommand)]
pub enum CommitsCommand {
    /// Find the commit that changed a count between two commits
    ///
    /// Each step measures one commit in a git work tree: counts are exact, so that one run is enough. A commit that can't
    /// be built is skipped. A merged branch is one step. Results are kept, so that another call does not
    /// measure again.
    Bisect(BisectArgs),
    /// Print the recorded counts of each benchmark and the commits that changed them, or measure the commits of a range
    ///
    /// The counts are those that `record` and `--record` added to the notes of commits. The options --bench, --record
    /// and --build measure the commits of the range.
    History(HistoryArgs),
    /// Add the results of the last run to the git note of the commit that they were measured at
    ///
    /// The notes are in refs/notes/iai-callgrind. They are lines of text, which git merges if several writers recorded
    /// results of the same commit. Results that belong to no commit are left out.
    Record(RecordArgs),
}

/// The benchmarks that are measured at each commit.
#[derive(Debug, Args)]
pub struct CommitArgs {
    /// Benchmark file to measure
    #[arg(long = "bench", value_name = "NAME")]
    pub file: Option<String>,

    /// Package of the benchmark file [default: the one that has it]
    #[arg(long, short, value_name = "NAME")]
    pub package: Option<String>,

    /// Metric to compare
    #[arg(long, value_name = "METRIC", default_value = "ir")]
    pub metric: String,

    /// Pass these arguments to `cargo bench`: '--features x'
    ///
    /// The text is split like words in a shell. Can be repeated.
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true, value_parser = Arguments::parse
    )]
    pub cargo_args: Vec<Arguments>,

    #[command(flatten)]
    pub benches: BenchesArgs,

    /// Build each commit with this command instead of cargo, such as 'make bench'
    ///
    /// The shell runs it in the work tree of the commit. It makes the benchmark executable that starts this subcommand, at the
    /// same path.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["package", "cargo_args", "against_benches"])]
    pub build: Option<String>,

    #[command(flatten)]
    pub home: HomeArgs,
}

#[derive(Debug, Args)]
#[command(mut_arg("file", |file| file.required(true).env(FILE_VARIABLE).hide_env(true)))]
pub struct BisectArgs {
    /// Commit, branch or tag with the old count
    #[arg(value_name = "GOOD")]
    pub good: String,

    /// Commit, branch or tag with the new count [default: HEAD], and filters that select benchmarks
    ///
    /// The first word is the commit if it names one. A filter is a part of a name, or a pattern with *, ? and [a-c].
    #[arg(value_name = "BAD|FILTER")]
    words: Vec<String>,

    /// Select benchmarks as FILTER does, in the form that all subcommands have
    #[arg(long = "filter", value_name = "FILTER")]
    filter_options: Vec<String>,

    /// Search for a change of more than this percentage
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percentage)]
    pub limit: Percentage,

    #[command(flatten)]
    pub length: ExplanationLength,

    #[command(flatten)]
    pub commits: CommitArgs,
}

impl BisectArgs {
    /// Returns the revision with the new count, and the filters: the other words and those of options.
    pub fn bad_and_filters(&self, is_revision: impl FnOnce(&str) -> bool) -> (&str, Vec<String>) {
        let bad = self.words.first().filter(|word| is_revision(word));
        let filters = filters(&self.words[usize::from(bad.is_some())..], &self.filter_options);
        (bad.map_or("HEAD", String::as_str), filters)
    }
}

/// Returns the filters that are words, and those of options.
fn filters(words: &[String], options: &[String]) -> Vec<String> {
    words.iter().chain(options).cloned().collect()
}

#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Range of commits, both ends included, and filters that select benchmarks
    ///
    /// Without a range all recorded commits up to HEAD are shown. A filter is a part of a name, or a pattern with *, ?
    /// and [a-c].
    #[arg(value_name = "A..B|FILTER")]
    words: Vec<String>,

    /// Select benchmarks as FILTER does, in the form that all subcommands have
    #[arg(long = "filter", value_name = "FILTER")]
    filter_options: Vec<String>,

    /// Measure the commits of the range that have no recorded results of the benchmark file, and record them
    ///
    /// Started by `cargo bench --bench NAME --`, it measures that file.
    #[arg(long, conflicts_with = "json")]
    pub record: bool,

    /// Print everything that was recorded as JSON
    #[arg(long, conflicts_with = "file")]
    pub json: bool,

    #[command(flatten)]
    pub commits: CommitArgs,
}

impl HistoryArgs {
    /// Returns the range, which is the first word, if there is one.
    pub fn range(&self) -> Option<&str> {
        self.words.first().map(String::as_str).filter(|word| word.contains(".."))
    }

    /// Returns the filters: the words after the range, and those of options.
    pub fn filters(&self) -> Vec<String> {
        filters(&self.words[usize::from(self.range().is_some())..], &self.filter_options)
    }

    /// Returns the benchmark file to measure; `None` if the recorded counts are printed.
    pub fn file(&self) -> Result<Option<String>, OptionsError> {
        let measures = self.record || self.commits.build.is_some();
        let started = || env::var(FILE_VARIABLE).ok().filter(|_| measures);
        match self.commits.file.clone().or_else(started) {
            None if measures => Err(OptionsError::NoBenchmarkFile),
            file => Ok(file),
        }
    }
}

#[derive(Debug, Args)]
pub struct RecordArgs {
    #[command(flatten)]
    pub filters: FilterArgs,

    /// Push the notes, and merge them with those of other writers before
    #[arg(long)]
    pub push: bool,

    /// Remote repository to push to
    #[arg(long, value_name = "NAME", default_value = "origin")]
    pub remote: String,

    /// Record results that were measured with changes that are not in the commit, and mark them
    #[arg(long)]
    pub allow_dirty: bool,

    #[command(flatten)]
    pub home: HomeArgs,
}

/// Parses a percentage with or without its sign.
fn percentage(text: &str) -> Result<Percentage, String> {
    parse_percentage(text.trim_end_matches('%'))
}
