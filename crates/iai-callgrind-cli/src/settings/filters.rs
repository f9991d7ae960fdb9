//! Filters of benchmarks.

use iai_callgrind_base::similar::typo;
use iai_callgrind_plan::filter::selects;
use regex_lite::Regex;

/// The filters of a run.
#[derive(Debug, Default)]
pub struct Filters {
    /// The first word of the command line, where subcommands are, if it is a filter.
    pub(crate) first_word: Option<Filter>,
    /// Selects the benchmarks that any of them matches, or all if there are none.
    pub any: Vec<Filter>,
    /// A name has to contain a match.
    pub regex: Option<Regex>,
    /// Text of a filter of another framework. The plan says which benchmarks it selects.
    pub of_framework: Option<String>,
    /// Skips the benchmarks that any of them matches.
    pub skip: Vec<Filter>,
    /// Filters match whole names only.
    pub exact: bool,
    /// No benchmark is selected.
    pub none: bool,
}

impl Filters {
    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
            && self.regex.is_none()
            && self.of_framework.is_none()
            && self.skip.is_empty()
            && !self.none
    }

    /// Returns the texts of the filters that select benchmarks.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let regex = self.regex.as_ref().map(Regex::as_str);
        let of_framework = self.of_framework.as_deref();
        self.any.iter().map(|filter| &*filter.text).chain(regex).chain(of_framework)
    }

    /// Returns the first word and the subcommand that it is similar to, unless it is a filter for
    /// one of these names.
    pub fn mistyped<'a>(
        &self,
        mut names: impl Iterator<Item = &'a str>,
        subcommands: &'a [&'a str],
    ) -> Option<(&str, &'a str)> {
        let filter = self.first_word.as_ref()?;
        let subcommand = typo(&filter.text, subcommands.iter().copied())?;
        let is_filter = names.any(|name| filter.matches(name, None, self.exact));
        (!is_filter).then_some((&*filter.text, subcommand))
    }

    /// Returns `true` if the benchmark with this name, `file::group::function::id`, is selected.
    /// For an id in another framework, a filter can also be that id or, as there, a regular
    /// expression.
    pub fn selects(&self, name: &str, external_id: Option<&str>) -> bool {
        let matches = |filter: &Filter| filter.matches(name, external_id, self.exact);
        let is_selected = self.any.is_empty() || self.any.iter().any(matches);
        let names = || [Some(name), external_id].into_iter().flatten();
        is_selected
            && self.regex.as_ref().is_none_or(|regex| names().any(|name| regex.is_match(name)))
            && !self.skip.iter().any(matches)
            && !self.none
    }
}

/// A filter of benchmarks.
#[derive(Debug, Clone)]
pub struct Filter {
    text: String,
    /// The text as a regular expression, if it is one.
    regex: Option<Regex>,
}

impl From<String> for Filter {
    fn from(text: String) -> Self {
        let regex = Regex::new(&text).ok();
        Self { text, regex }
    }
}

impl Filter {
    fn matches(&self, name: &str, external_id: Option<&str>, exact: bool) -> bool {
        let Self { text, regex } = self;
        if exact {
            return text == name || external_id == Some(text);
        }
        let in_id = |id: &str| regex.as_ref().is_some_and(|regex| regex.is_match(id));
        selects(text, name) || external_id.is_some_and(in_id)
    }
}
