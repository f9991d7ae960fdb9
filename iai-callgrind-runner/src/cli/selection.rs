//! Which benchmarks to run.

use clap::{Args, ValueEnum};
use iai_callgrind_plan::filter::selects;
use regex_lite::Regex;

/// The filters, and whether only names are wanted.
#[derive(Debug, Default, Args)]
#[expect(clippy::doc_markdown, reason = "these comments are the help texts")]
pub(crate) struct Selection {
    /// Run only the benchmarks whose name contains this, or that a pattern with * and ? matches
    ///
    /// The name is file::group::function::id, and a pattern has to match all of it. Reporters filters
    /// select what any of them does.
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,

    /// Run only the benchmarks whose name this regular expression matches somewhere
    #[arg(
        long, value_name = "REGEX", env = "IAI_CALLGRIND_FILTER_REGEX", value_parser = Regex::new
    )]
    filter_regex: Option<Regex>,

    /// Leave out the benchmarks that this filter selects; can be given several times
    #[arg(long, value_name = "FILTER")]
    skip: Vec<String>,

    /// A filter is a whole name
    #[arg(long)]
    exact: bool,

    /// Run nothing and list the names
    #[arg(long)]
    pub(crate) list: bool,

    /// How to list: with the number of benchmarks at the end, or only the names
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub(crate) format: ListFormat,

    /// Only what is marked as ignored: nothing here ever is
    #[arg(long, hide = true)]
    ignored: bool,
}

/// How names are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    #[default]
    Pretty,
    Terse,
    #[value(hide = true)]
    Json,
    #[value(hide = true)]
    Junit,
}

impl Selection {
    /// Whether the benchmark with this name, `file::group::function::id`, is to run.
    pub(crate) fn selects(&self, name: &str) -> bool {
        let matches = |filter: &String| {
            if self.exact { filter == name } else { selects(filter, name) }
        };
        let is_wanted = self.filters.is_empty() || self.filters.iter().any(matches);
        is_wanted
            && self.filter_regex.as_ref().is_none_or(|regex| regex.is_match(name))
            && !self.skip.iter().any(matches)
            && !self.ignored
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::bench;

    const NAME: &str = "file::group::function::short";

    fn selects(arguments: &[&str]) -> bool {
        bench(arguments).unwrap().selection.selects(NAME)
    }

    #[test]
    fn filters() {
        for selecting in [
            &[][..],
            &["function::short"],
            &["other", "file"],
            &["*::short"],
            &["--exact", NAME],
            &["--filter-regex", "^file::.*t$"],
            &["--skip", "long"],
        ] {
            assert!(selects(selecting), "{selecting:?}");
        }
        for other in [
            &["long"][..],
            &["--exact", "file"],
            &["--filter-regex=^short"],
            &["file", "--filter-regex=^short"],
            &["--skip=short"],
            &["--ignored"],
        ] {
            assert!(!selects(other), "{other:?}");
        }
    }

    #[test]
    fn a_regular_expression_has_to_be_one() {
        assert!(bench(&["--filter-regex=("]).is_err());
    }
}
