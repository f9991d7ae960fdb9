//! Options that select benchmarks.

use clap::{Args, ValueEnum};
use regex_lite::Regex;

use crate::settings::{Filter, Filters, Shard};

/// Filters, shards and lists.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
#[expect(clippy::doc_markdown, reason = "these comments are the help texts")]
pub struct Selection {
    /// Run only benchmarks whose name contains this text or matches this pattern with *, ? and [a-c]
    ///
    /// A name has the form file::group::function::id, and a pattern must match the whole name. A benchmark
    /// runs if any filter matches it.
    #[arg(value_name = "FILTER")]
    filters: Vec<Filter>,

    /// The same as FILTER, in the form that all subcommands have
    #[arg(long = "filter", value_name = "FILTER")]
    filter_options: Vec<Filter>,

    /// Run only benchmarks whose name contains a match of this regular expression
    #[arg(
        long, value_name = "REGEX", env = "IAI_CALLGRIND_FILTER_REGEX", value_parser = Regex::new
    )]
    filter_regex: Option<Regex>,

    /// Filter of another framework, which the benchmark executable has applied
    #[arg(long, value_name = "FILTER", hide = true)]
    framework_filter: Option<String>,

    /// Skip benchmarks that match this filter; can be repeated
    #[arg(long, value_name = "FILTER")]
    skip: Vec<Filter>,

    /// Match filters against the whole name
    #[arg(long)]
    exact: bool,

    /// Run only this part of the selected benchmarks: 2/5 is the second fifth
    ///
    /// Each benchmark is in exactly one of the parts. With --baseline they are balanced by the instructions in that
    /// baseline, which must be the same for all parts. `import` merges the results.
    #[arg(long, value_name = "K/N", env = "IAI_CALLGRIND_SHARD")]
    pub shard: Option<Shard>,

    /// List the names of the benchmarks instead of running them
    #[arg(long)]
    pub list: bool,

    /// Format of the list: `pretty` adds the number of benchmarks
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub format: ListFormat,

    /// Run only ignored benchmarks, of which there are none
    #[arg(long, hide = true)]
    ignored: bool,
}

/// The format of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    #[default]
    Pretty,
    Terse,
    #[value(hide = true)]
    Json,
    #[value(hide = true)]
    Junit,
}

impl Selection {
    /// Selects or lists the benchmarks that one of these filters matches, all if there are none.
    pub(crate) fn of_filters(filters: Vec<String>, list: bool) -> Self {
        let filters = filters.into_iter().map(Filter::from).collect();
        Self { filters, list, ..Self::default() }
    }

    /// Returns the filters.
    pub(crate) fn filters(self) -> Filters {
        let first_word = self.filters.first().cloned();
        Filters {
            first_word,
            any: self.filters.into_iter().chain(self.filter_options).collect(),
            regex: self.filter_regex,
            of_framework: self.framework_filter,
            skip: self.skip,
            exact: self.exact,
            none: self.ignored,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::bench;

    const NAME: &str = "file::group::function::short";

    fn selects(arguments: &[&str]) -> bool {
        bench(arguments).unwrap().selection.filters().selects(NAME, None)
    }

    #[test]
    fn the_id_of_another_framework_is_a_name_too() {
        let selects = |arguments: &[&str]| {
            bench(arguments)
                .unwrap()
                .selection
                .filters()
                .selects("file::a_b::c d/10", Some("a/b/c d/10"))
        };
        for selecting in [
            &["a/b"][..],
            &["^a/b/c.*10$"],
            &["c d|e"],
            &["--exact", "a/b/c d/10"],
            &["--exact", "file::a_b::c d/10"],
            &["*::c d/10"],
            &["--filter-regex=^a/b"],
        ] {
            assert!(selects(selecting), "{selecting:?}");
        }
        for other in
            [&["^b"][..], &["--exact", "a/b"], &["--skip", "a/b"], &["--skip=^a"], &["e|f"]]
        {
            assert!(!selects(other), "{other:?}");
        }
    }

    #[test]
    fn filters() {
        for selecting in [
            &[][..],
            &["function::short"],
            &["other", "file"],
            &["*::short"],
            &["--exact", NAME],
            &["--filter=other", "--filter=function::short"],
            &["--filter-regex", "^file::.*t$"],
            &["--skip", "long"],
        ] {
            assert!(selects(selecting), "{selecting:?}");
        }
        for other in [
            &["long"][..],
            &["--filter=long"],
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
