//! The command line and the environment variables that stand for its options.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;

use clap::builder::BoolishValueParser;
use clap::error::ContextKind;
use clap::{Args, Parser, Subcommand};

use crate::compare::Limits;
use crate::surroundings::Surroundings;
use crate::valgrind::Arguments;

/// Runs the benchmarks of iai-callgrind under Valgrind. `cargo bench` starts it.
#[derive(Debug, Parser)]
#[command(name = "iai-callgrind-runner", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the benchmarks of a file under Valgrind and compare them with an earlier run
    ///
    /// The plan, which says what the file contains, comes in on the standard input.
    #[command(
        long_about = "Run the benchmarks of this file under Valgrind and compare them with an earlier run",
        override_usage = "cargo bench [--bench NAME] -- [OPTIONS] [FILTER]",
        disable_version_flag = true,
        after_help = "IAI_CALLGRIND_COLOR=always|never|auto colours the output (CARGO_TERM_COLOR is asked \
                      next), IAI_CALLGRIND_LOG=error|warn|info|debug|trace sets what is logged."
    )]
    Bench(Bench),
}

/// The options of a benchmark run.
#[derive(Debug, Default, Args)]
#[expect(clippy::doc_markdown, reason = "these comments are the help texts")]
pub(crate) struct Bench {
    /// Run only the benchmarks whose name contains this, or that a pattern with * and ? matches
    ///
    /// The name is file::group::function::id, and a pattern has to match all of it.
    pub(crate) filter: Option<String>,

    /// Run this many benchmarks at once, or as many as there are cores
    ///
    /// The counts don't depend on it. Results print in the order of declaration.
    #[arg(
        long, value_name = "N|auto", num_args = 0..=1, require_equals = true,
        default_value = "auto", default_missing_value = "auto", env = "IAI_CALLGRIND_PARALLEL"
    )]
    pub(crate) parallel: Parallel,

    /// Compare with the baseline NAME if there is one, then overwrite it
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_SAVE_BASELINE", conflicts_with_all = ["baseline", "load_baseline"]
    )]
    pub(crate) save_baseline: Option<String>,

    /// Compare with the baseline NAME and leave it as it is
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_BASELINE"
    )]
    pub(crate) baseline: Option<String>,

    /// Run nothing: take the baseline NAME as the new results and compare it with --baseline
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_LOAD_BASELINE", requires = "baseline"
    )]
    pub(crate) load_baseline: Option<String>,

    /// Show what the benchmarks print, or one of the two streams
    #[arg(
        long, value_name = "yes|no|stdout|stderr", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes", env = "IAI_CALLGRIND_NOCAPTURE"
    )]
    pub(crate) nocapture: Shown,

    /// Pass these arguments on to Valgrind, whichever tool it runs
    ///
    /// They are split as a shell splits words.
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true,
        env = "IAI_CALLGRIND_VALGRIND_ARGS", value_parser = Arguments::parse
    )]
    pub(crate) valgrind_args: Option<Arguments>,

    /// Pass these arguments on to callgrind: --cache-sim=no, for example
    #[arg(
        long, value_name = "ARGUMENTS", allow_hyphen_values = true,
        env = "IAI_CALLGRIND_CALLGRIND_ARGS", value_parser = Arguments::parse
    )]
    pub(crate) callgrind_args: Option<Arguments>,

    /// Fail the run when a benchmark breaks one of these limits: ir=5%|10000,@all=10%
    ///
    /// A number with % is by how much a metric may exceed its old value, a bare number the largest value
    /// allowed; a negative percentage is a limit for improvements. Metrics go by Valgrind's names, an @
    /// is before the name of a group: @all, @default, @cachehits, @cachemisses, ... Of two limits for the
    /// same metric the last one wins. The exit code is 3.
    #[arg(
        long, value_name = "LIMITS", env = "IAI_CALLGRIND_CALLGRIND_LIMITS", value_parser = Limits::parse
    )]
    pub(crate) callgrind_limits: Option<Limits>,

    /// Fail the run when a metric exceeds its old value by more than these percentages: ir=5,dr=10
    ///
    /// The older spelling of soft limits. For the same metric --callgrind-limits wins.
    #[arg(
        long, value_name = "LIMITS", env = "IAI_CALLGRIND_REGRESSION",
        value_parser = Limits::parse_percentages
    )]
    pub(crate) regression: Option<Limits>,

    /// End the run at the first benchmark that breaks a limit
    #[arg(
        long, value_name = "yes|no", num_args = 0..=1, require_equals = true,
        default_value = "no", default_missing_value = "yes",
        value_parser = BoolishValueParser::new(), env = "IAI_CALLGRIND_REGRESSION_FAIL_FAST"
    )]
    pub(crate) regression_fail_fast: bool,

    #[command(flatten)]
    pub(crate) surroundings: Surroundings,

    /// Keep results below this directory instead of target/iai
    #[arg(long, value_name = "DIRECTORY", env = "IAI_CALLGRIND_HOME")]
    pub(crate) home: Option<PathBuf>,

    /// What `cargo bench` passes on
    #[arg(long = "bench", hide = true)]
    pub(crate) _started_by_cargo: bool,
}

/// Which of the benchmarks' output is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

impl FromStr for Shown {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "yes" | "true" => Ok(Self { stdout: true, stderr: true }),
            "no" | "false" => Ok(Self::default()),
            "stdout" => Ok(Self { stdout: true, stderr: false }),
            "stderr" => Ok(Self { stdout: false, stderr: true }),
            _ => Err("expected `yes`, `no`, `stdout` or `stderr`"),
        }
    }
}

/// How many benchmarks run at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Parallel {
    #[default]
    Auto,
    Fixed(NonZeroUsize),
}

impl Parallel {
    /// The number of processes.
    pub(crate) fn jobs(self) -> usize {
        match self {
            Self::Auto => available_parallelism().map_or(1, NonZeroUsize::get),
            Self::Fixed(number) => number.get(),
        }
    }
}

impl FromStr for Parallel {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        text.parse().map(Self::Fixed).map_err(|_| "expected a number greater than 0, or `auto`")
    }
}

impl Cli {
    /// The command line of this process. A wrong one ends it with exit code 2.
    pub(crate) fn of_this_process() -> Self {
        Self::try_parse().unwrap_or_else(|mut error| {
            // Behind `cargo bench --` another `--` would not help
            error.remove(ContextKind::Suggested);
            error.exit()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench(arguments: &[&str]) -> Result<Bench, clap::Error> {
        let words = ["iai-callgrind-runner", "bench"].iter().chain(arguments);
        Cli::try_parse_from(words).map(|cli| match cli.command {
            Command::Bench(bench) => bench,
        })
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_baseline_without_a_name_is_called_default() {
        let options = bench(&["--bench", "--save-baseline"]).unwrap();
        assert_eq!(options.save_baseline.as_deref(), Some("default"));
        let options = bench(&["--load-baseline", "--baseline=main"]).unwrap();
        assert_eq!(options.load_baseline.as_deref(), Some("default"));
        let options = bench(&["--baseline", "main"]).unwrap();
        assert_eq!(options.baseline.as_deref(), Some("main"));
    }

    #[test]
    fn a_baseline_to_load_needs_one_to_compare_with() {
        assert!(bench(&["--load-baseline=a"]).is_err());
        assert!(bench(&["--save-baseline=a", "--baseline=b"]).is_err());
    }

    #[test]
    fn parallel_takes_a_number_or_auto() {
        assert_eq!(bench(&["--parallel"]).unwrap().parallel, Parallel::Auto);
        assert_eq!(bench(&["--parallel=3"]).unwrap().parallel.jobs(), 3);
        assert!(bench(&["--parallel=0"]).is_err());
    }
}
