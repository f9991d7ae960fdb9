//! The benchmarks of a site, each with a page and a category.

use std::collections::HashSet;
use std::hash::Hasher;

use fnv::FnvHasher;
use iai_callgrind_summary::Summary;
use maud::{Markup, html};

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

/// Returns the benchmarks with the names of their pages, which depend on nothing but the benchmark.
pub(super) fn entries(summaries: &[Summary]) -> Vec<Entry<'_>> {
    let mut names = HashSet::new();
    let entry = |summary| {
        let mut name = page_name(summary, 0);
        let mut number = 0;
        // The same benchmark for another target, or a collision of hashes
        while !names.insert(name.clone()) {
            number += 1;
            name = page_name(summary, number);
        }
        Entry { summary, category: Category::of(summary), file: format!("{PAGES}/{name}.html") }
    };
    summaries.iter().map(entry).collect()
}

fn page_name(summary: &Summary, number: u64) -> String {
    let mut hasher = FnvHasher::default();
    for text in [&summary.package, &summary.name] {
        hasher.write(text.as_bytes());
        hasher.write(&[0]);
    }
    if number > 0 {
        hasher.write(&number.to_le_bytes());
    }
    format!("{:016x}", hasher.finish())
}

/// Returns a text in the colour of a category.
pub(super) fn badge(category: Category, text: &str) -> Markup {
    html! { span class=(format!("badge {}", key(category))) { (text) } }
}

/// Returns the class of a category, which is its key in the table as well.
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
    match category {
        Category::Failed => "failed",
        Category::Regressed => "exceeded a limit",
        category => category.text(),
    }
}
