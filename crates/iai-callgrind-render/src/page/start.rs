//! The start page: verdict, causes, and the table of all benchmarks.

use std::collections::{BTreeSet, HashMap};
use std::ptr;

use iai_callgrind_base::note::counted;
use iai_callgrind_summary::Summary;
use maud::{Markup, html};

use super::causes;
use super::compared::compared;
use super::entry::Entry;
use super::group::{self, GroupPage};
use super::layout::{name, page, path};
use super::table::{self, StartRow};
use super::time;
use super::verdict::{Tally, tally_bar, verdict};
use crate::format::{Category, largest_change};

/// Maximum number of failures above the causes.
const MOST: usize = 10;

/// Returns the start page.
pub(super) fn render(rows: &[StartRow<'_>], groups: &[GroupPage<'_>]) -> String {
    if rows.is_empty() {
        return page(
            "Benchmarks",
            &html! { h1 { "Benchmarks" } },
            &html! { p { "No run has ended yet." } },
        );
    }
    let mut tally = Tally::new();
    for row in rows {
        *tally.entry(row.entry.category).or_default() += 1;
    }
    let entries = rows.iter().map(|row| row.entry);
    let by_cause = causes::groups(entries.clone());
    let by_summary: HashMap<_, _> =
        entries.clone().map(|entry| (ptr::from_ref(entry.summary), entry)).collect();
    let entry_of = |summary: &Summary| by_summary.get(&ptr::from_ref(summary)).copied();
    let packages: BTreeSet<_> = entries.clone().map(|entry| &*entry.summary.package).collect();
    let packages = packages.into_iter().collect::<Vec<_>>().join(", ");
    let summaries: Vec<_> = entries.clone().map(|entry| entry.summary).collect();
    let header = html! {
        h1 { "Benchmarks of " (name(&packages)) }
        (verdict(&tally, &by_cause))
        (time::summary(entries.clone()))
        (tally_bar(&tally))
    };
    let content = html! {
        (failures(entries.clone()))
        (causes::section(&by_cause, entry_of))
        (compared(&summaries))
        (group::section(groups))
        (table::section(&sorted(rows), &tally))
    };
    page(&format!("Benchmarks of {packages}"), &header, &content)
}

/// Returns the rows by category, the most important first, and then by change, the largest first.
fn sorted<'a>(rows: &'a [StartRow<'a>]) -> Vec<&'a StartRow<'a>> {
    let mut sorted: Vec<_> =
        rows.iter().map(|row| (largest_change(row.entry.summary), row)).collect();
    sorted.sort_by(|(one, first), (other, second)| {
        first.entry.category.cmp(&second.entry.category).then(other.total_cmp(one))
    });
    sorted.into_iter().map(|(_, row)| row).collect()
}

/// Returns the benchmarks that failed with their errors.
fn failures<'a>(entries: impl Iterator<Item = &'a Entry<'a>>) -> Markup {
    let failed: Vec<_> = entries.filter(|entry| entry.category == Category::Failed).collect();
    let more = failed.len().saturating_sub(MOST);
    html! { @if !failed.is_empty() {
        section {
            h2 id="failures" { "Failures" }
            @for entry in failed.iter().take(MOST) {
                div.card {
                    a href=(entry.file) { (path(&entry.summary.name)) }
                    @if let Some(error) = &entry.summary.error { pre.failed { (error) } }
                }
            }
            @if more > 0 { p { (counted(more, "other failure")) " are in the table." } }
        }
    } }
}
