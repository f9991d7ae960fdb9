//! The benchmarks of a site, each with a page and a category.

use iai_callgrind_summary::Summary;
use maud::{Markup, html};

use super::file_name::FileNames;
use crate::format::Category;

/// The name of the start page.
pub(super) const START: &str = "index.html";

/// The directory of the pages of benchmarks.
pub(super) const PAGES: &str = "benchmarks";

/// A benchmark with its page.
pub(super) struct Entry<'a> {
    pub(super) summary: &'a Summary,
    pub(super) category: Category,
    /// The path of the page, relative to the start page.
    pub(super) file: String,
}

impl Entry<'_> {
    /// Returns the lines that explain the change; none if it is not explained.
    pub(super) fn explanation(&self) -> &[String] {
        let mut tools = self.summary.tools.iter();
        tools
            .find_map(|tool| tool.explanation.as_ref())
            .map_or(&[], |explanation| &explanation.text)
    }
}

/// Returns the benchmarks with the names of their pages.
pub(super) fn entries<'a>(summaries: &'a [Summary], names: &mut FileNames) -> Vec<Entry<'a>> {
    let entry = |summary| {
        let file = format!("{PAGES}/{}.html", names.add(summary));
        Entry { summary, category: Category::of(summary), file }
    };
    summaries.iter().map(entry).collect()
}

/// Returns the category of a benchmark in words, with its symbol and its colour.
pub(super) fn badge(category: Category) -> Markup {
    html! { span class=(format!("badge {}", key(category))) {
        span aria-hidden="true" { (symbol(category)) } " " (label(category))
    } }
}

/// Returns the sign of a category. All categories have different shapes.
pub(super) fn symbol(category: Category) -> &'static str {
    match category {
        Category::Failed => "✖",
        Category::Regressed => "▲▲",
        Category::Worse => "▲",
        Category::Better => "▼",
        Category::New => "✚",
        Category::CachesOnly => "≈",
        Category::Unchanged => "=",
    }
}

/// Returns the class of a category, which is also its key in the table.
pub(super) fn key(category: Category) -> &'static str {
    match category {
        Category::Failed | Category::Regressed => "failed",
        Category::Worse => "worse",
        Category::Better => "better",
        Category::New => "new",
        Category::CachesOnly | Category::Unchanged => "unchanged",
    }
}

/// Returns a category in words.
pub(super) fn label(category: Category) -> &'static str {
    category.text(1)
}
