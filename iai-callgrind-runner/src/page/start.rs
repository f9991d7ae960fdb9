//! The start page: verdict, changes, and the table of all benchmarks.

use std::collections::{BTreeMap, BTreeSet};

use iai_callgrind_summary::Summary;
use maud::{Markup, html};

use super::entry::{Entry, badge, key, label};
use super::layout::{explanation, name, page};
use super::metrics::{change_cell, class, largest_other, main_metric};
use crate::fingerprint::{FingerprintChange, changes_text};
use crate::format::{
    Category, CauseGroup, change, group_by_cause, is_changed, largest_change, range_text, shown,
    value_text,
};
use crate::note::counted;

/// Maximum number of benchmarks of a category above the table.
const MOST: usize = 50;

/// Number of rows that a script shows at first, which is in the style as well.
const LISTED: usize = 200;

/// Number of benchmarks of a category whose details are open.
const OPEN: usize = 5;

/// A benchmark on the start page.
pub(super) struct StartRow<'a> {
    pub(super) entry: &'a Entry<'a>,
    pub(super) sparkline: Option<Markup>,
}

/// Returns the start page.
pub(super) fn render(rows: &[StartRow<'_>]) -> String {
    let mut numbers: BTreeMap<Category, usize> = BTreeMap::new();
    for row in rows {
        *numbers.entry(row.entry.category).or_default() += 1;
    }
    let packages: BTreeSet<_> = rows.iter().map(|row| &*row.entry.summary.package).collect();
    let packages = packages.into_iter().collect::<Vec<_>>().join(", ");
    if rows.is_empty() {
        return page(
            "Benchmarks",
            &html! { h1 { "Benchmarks" } },
            &html! { p { "No run has ended yet." } },
        );
    }
    let navigation = html! {
        h1 { "Benchmarks of " (name(&packages)) }
        p.verdict { @for (category, number) in &numbers {
            (badge(*category, &format!("{number} {}", category.text()))) " "
        } }
        (environment(rows.iter().map(|row| row.entry.summary)))
    };
    let content = html! {
        (causes(rows))
        @for category in [Category::Failed, Category::Regressed, Category::Worse, Category::Better] {
            (changes(category, rows))
        }
        (table(rows, &numbers))
    };
    page(&format!("Benchmarks of {packages}"), &navigation, &content)
}

fn environment<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Markup {
    let changes = summaries.flat_map(|summary| &summary.tools);
    let changes = changes.flat_map(|tool| &tool.environment_changes);
    let changes: BTreeSet<_> = changes
        .map(|change| FingerprintChange {
            name: change.name.clone(),
            old: change.old.clone(),
            new: change.new.clone(),
        })
        .collect();
    let changes: Vec<_> = changes.into_iter().collect();
    html! { @if !changes.is_empty() {
        p.failed { "The environment differs from that of the old results: " (changes_text(&changes)) }
    } }
}

/// Returns the causes of changes with links to the benchmarks that have them.
fn causes(rows: &[StartRow<'_>]) -> Markup {
    let changed = rows.iter().filter(|row| {
        matches!(row.entry.category, Category::Regressed | Category::Worse | Category::Better)
    });
    let groups = group_by_cause(changed.map(|row| row.entry.summary));
    let known: Vec<_> = groups
        .iter()
        .filter_map(|CauseGroup { cause, summaries }| Some(((*cause)?, summaries)))
        .collect();
    let file = |summary: &Summary| {
        let row = rows.iter().find(|row| std::ptr::eq(row.entry.summary, summary));
        row.map_or("", |row| &row.entry.file)
    };
    html! { @if !known.is_empty() {
        section {
            h2 { "Causes" }
            @for (cause, summaries) in &known {
                details.card open[known.len() == 1] {
                    summary {
                        (name(&cause.text)) ": " (counted(summaries.len(), "benchmark")) ", "
                        (range_text(summaries))
                    }
                    ul { @for summary in summaries.iter() {
                        li { a href=(file(summary)) { (name(&summary.name)) } }
                    } }
                }
            }
        }
    } }
}

/// Returns the benchmarks of a category with their changes and explanations, the largest change first.
fn changes(category: Category, rows: &[StartRow<'_>]) -> Markup {
    let mut rows: Vec<_> = rows.iter().filter(|row| row.entry.category == category).collect();
    let size = |row: &StartRow<'_>| largest_change(row.entry.summary);
    rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let title = match category {
        Category::Failed => "Failures",
        Category::Regressed => "Exceeded limits",
        Category::Worse => "Worse",
        _ => "Better",
    };
    html! { @if !rows.is_empty() {
        section {
            h2 { (title) }
            @for (index, row) in rows.iter().take(MOST).enumerate() { (card(row, index < OPEN)) }
            @if rows.len() > MOST { p { (rows.len() - MOST) " more are in the table below." } }
        }
    } }
}

/// Returns a benchmark with its changes. The first line has the change of the main metric.
fn card(row: &StartRow<'_>, is_open: bool) -> Markup {
    let summary = row.entry.summary;
    let main = main_metric(summary).map(|main| (main.metric, change(main.metric)));
    let metrics: Vec<_> =
        summary.tools.iter().flat_map(shown).filter(|(metric, _)| is_changed(metric)).collect();
    html! {
        details.card open[is_open] {
            summary {
                a href=(row.entry.file) { (name(&summary.name)) } " "
                @if let Some((metric, change)) = main.filter(|(metric, _)| is_changed(metric)) {
                    (metric.label) " " span class=[class(metric, change)] { (change.percentage_text().trim()) }
                }
            }
            @if let Some(error) = &summary.error { pre.failed { (error) } }
            @for regression in summary.tools.iter().flat_map(|tool| &tool.regressions) {
                p.failed { (regression.message) }
            }
            @if !metrics.is_empty() {
                div.scroll tabindex="0" role="region" aria-label="Changes" { table {
                    thead { tr {
                        th scope="col" { "Metric" }
                        th.number scope="col" { "Old" }
                        th.number scope="col" { "New" }
                        th.number scope="col" { "Change" }
                    } }
                    tbody { @for (metric, value) in &metrics { tr {
                        th scope="row" { (name(&metric.label)) }
                        td.number { (value_text(metric.old)) }
                        td.number { (value_text(Some(*value))) }
                        (change_cell(metric, false))
                    } } }
                } }
            }
            (explanation(row.entry.explanation()))
        }
    }
}

/// Returns the table of all benchmarks, which can be sorted and filtered.
fn table(rows: &[StartRow<'_>], numbers: &BTreeMap<Category, usize>) -> Markup {
    let keys: BTreeSet<_> = numbers.keys().map(|category| key(*category)).collect();
    html! {
        section aria-labelledby="all" {
            h2 id="all" { "All benchmarks" }
            p {
                label { "Filter " input type="search" data-filter="benchmark-table" data-key="/"; } " "
                label { "Show "
                    select data-status="benchmark-table" {
                        option value="" { "all" }
                        @for key in keys { option value=(key) { (key) } }
                    }
                } " "
                output data-count="benchmark-table" aria-live="polite" { (rows.len()) " benchmarks" }
            }
            div.scroll tabindex="0" role="region" aria-label="All benchmarks" {
                table id="benchmark-table" data-sortable {
                    thead { tr {
                        th scope="col" { "Benchmark" }
                        th.number scope="col" { "Value" }
                        th.number scope="col" { "Change" }
                        th scope="col" { "Largest other change" }
                        th scope="col" data-unsorted { "History" }
                        th scope="col" { "Status" }
                    } }
                    tbody.long { @for row in rows { (table_row(row)) } }
                }
            }
            @if rows.len() > LISTED {
                p { button type="button" data-all="benchmark-table" data-most=(LISTED) { "Show all rows" } }
            }
        }
    }
}

fn table_row(row: &StartRow<'_>) -> Markup {
    let Entry { summary, category, file } = row.entry;
    let main = main_metric(summary);
    let other = main.and_then(|main| largest_other(summary, main.metric));
    let key = key(*category);
    html! { tr {
        th scope="row" { a href=(file) { (name(&summary.name)) } }
        @match main {
            Some(main) => {
                td.number {
                    (value_text(Some(main.value)))
                    @if main.metric.label != "Instructions" { " " small { (main.metric.label) } }
                }
                (change_cell(main.metric, main.metric.tolerated))
            },
            None => { td {} td {} },
        }
        td { @if let Some((metric, change)) = other {
            (metric.label) " " span class=[class(metric, change)] { (change.percentage_text().trim()) }
        } }
        td { @if let Some(sparkline) = &row.sparkline { (sparkline) } }
        td class=(key) { (label(*category)) }
    } }
}
