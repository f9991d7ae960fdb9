//! Options for baselines.

use clap::Args;

use super::LIMITS;
use super::switch::YES_OR_NO;
use crate::settings::{AgainstBenches, LimitSource};

/// Options that select the new and the old results.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Baselines and revisions")]
pub struct Baselines {
    /// Save the new results as this baseline
    ///
    /// They are compared with its previous content, with the last run if it is new, or with the baseline of --baseline.
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_SAVE_BASELINE", conflicts_with = "load_baseline"
    )]
    pub(crate) save_baseline: Option<String>,

    /// Compare with the baseline and do not change it
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_BASELINE"
    )]
    pub baseline: Option<String>,

    /// Compare with the baseline if it exists
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_BASELINE_LENIENT", conflicts_with_all = ["baseline", "load_baseline"]
    )]
    pub(crate) baseline_lenient: Option<String>,

    /// Run nothing; use this baseline as the new results
    #[arg(
        long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default",
        env = "IAI_CALLGRIND_LOAD_BASELINE", requires = "baseline"
    )]
    pub load_baseline: Option<String>,

    /// Measure another revision as well and compare with it: a branch, tag, commit or @merge-base
    ///
    /// Cargo builds the benchmarks of the revision in a git work tree below the output directory. Their results are
    /// kept, so that the next time nothing is built. @merge-base is the commit at which this branch left the default
    /// branch.
    #[arg(
        long, value_name = "REV", env = "IAI_CALLGRIND_AGAINST",
        conflicts_with_all = ["baseline", "baseline_lenient", "load_baseline"]
    )]
    pub against: Option<String>,

    #[command(flatten)]
    pub(crate) benches: BenchesArgs,

    /// Build the other revision with this command instead of cargo, such as 'make bench'
    ///
    /// The shell runs it in the work tree of the revision. It must make the executable at the same path as on this side. A new
    /// build directory of cmake gets the options of the directory with this side's executable.
    #[arg(
        long,
        value_name = "COMMAND",
        env = "IAI_CALLGRIND_BUILD",
        requires = "against",
        conflicts_with = "against_benches"
    )]
    pub build: Option<String>,

    /// Learn the limits of each benchmark from the recorded commits that did not touch its code
    ///
    /// --callgrind-limits sets limits of metrics instead.
    /// A metric may grow by twice the largest change that such commits made. Cache metrics may also grow by two accesses.
    /// Other limits of a metric take precedence.
    #[arg(
        long,
        value_name = "auto",
        help_heading = LIMITS,
        env = "IAI_CALLGRIND_LIMIT",
        value_parser = limit_source
    )]
    pub limit: Option<LimitSource>,

    /// Add the results to the git note of the commit, as `iai-callgrind-runner record` does
    #[arg(
        long, value_name = YES_OR_NO, default_value = "no", env = "IAI_CALLGRIND_RECORD",
        help_heading = "History"
    )]
    pub record: bool,
}

/// The benchmark files that another revision is measured with.
#[derive(Debug, Default, Args)]
pub struct BenchesArgs {
    /// Measure other revisions with their own benchmark files, or with those of this work tree
    #[arg(
        long,
        value_name = "own|here",
        env = "IAI_CALLGRIND_AGAINST_BENCHES",
        default_value = "own",
        value_enum,
        hide_possible_values = true
    )]
    pub against_benches: AgainstBenches,
}

/// Parses the source of limits. For a limit, the error names the option that takes one.
fn limit_source(text: &str) -> Result<LimitSource, String> {
    match text {
        "auto" => Ok(LimitSource::Auto),
        _ if text.contains('=') => {
            Err(format!("the only value is `auto`\nhelp: write --callgrind-limits={text}"))
        }
        _ => {
            Err("the only value is `auto`\nhelp: set limits with --callgrind-limits=ir=5%"
                .to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::bench;

    #[test]
    fn a_baseline_without_a_name_is_called_default() {
        let baselines = |arguments: &[&str]| bench(arguments).unwrap().baselines;
        let options = baselines(&["--bench", "--save-baseline"]);
        assert_eq!(options.save_baseline.as_deref(), Some("default"));
        let options = baselines(&["--load-baseline", "--baseline=main"]);
        assert_eq!(options.load_baseline.as_deref(), Some("default"));
        let options = baselines(&["--baseline", "main"]);
        assert_eq!(options.baseline.as_deref(), Some("main"));
        let options = baselines(&["--save-baseline=new", "--baseline"]);
        assert_eq!(options.save_baseline.as_deref(), Some("new"));
        assert_eq!(options.baseline.as_deref(), Some("default"));
    }

    #[test]
    fn a_baseline_to_load_needs_one_to_compare_with() {
        assert!(bench(&["--load-baseline=a"]).is_err());
        assert!(bench(&["--save-baseline=a", "--load-baseline=b", "--baseline=c"]).is_err());
    }
}
