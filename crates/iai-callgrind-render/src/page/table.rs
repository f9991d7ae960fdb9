//! The table of all benchmarks, which can be sorted and filtered.

use std::collections::BTreeSet;

use iai_callgrind_base::note::counted;
use iai_callgrind_summary::Summary;
use maud::{Markup, html};

use super::entry::{Entry, key, label};
use super::layout::path;
use super::metrics::{MainMetric, change_cell, change_in_column, class, main_metric, value};
use super::time;
use super::verdict::Tally;
use crate::format::{Category, change, largest_other};

/// Number of rows that a script shows at first, which is in the style as well.
const LISTED: usize = 200;

/// A benchmark on the start page.
pub(super) struct StartRow<'a> {
    pub(super) entry: &'a Entry<'a>,
    pub(super) sparkline: Option<Markup>,
}

/// The columns that only some runs have.
#[derive(Clone, Copy)]
struct Columns<'a> {
    /// The label of the metric of most benchmarks.
    metric: Option<&'a str>,
    /// The benchmarks are those of several packages.
    has_packages: bool,
    /// A first run has no old values and changes.
    has_old: bool,
    /// A benchmark has a chart of its history.
    has_history: bool,
    time: TimeColumn,
}

/// The column of times.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeColumn {
    None,
    /// Next to counts, which replace it on narrow screens.
    Second,
    /// Nothing was counted.
    Only,
}

impl<'a> Columns<'a> {
    fn of(rows: &[&'a StartRow<'_>]) -> Self {
        let mut main = rows.iter().map(|row| main_metric(row.entry.summary));
        let has_counts = main.clone().any(|main| main.is_some());
        let has_times = rows.iter().any(|row| row.entry.summary.time.is_some());
        let time = match (has_times, has_counts) {
            (false, _) => TimeColumn::None,
            (true, true) => TimeColumn::Second,
            (true, false) => TimeColumn::Only,
        };
        let labels = main.clone().flatten().map(|main| &*main.metric.label);
        let mut packages = rows.iter().map(|row| &row.entry.summary.package);
        let first = packages.next();
        Self {
            metric: most_common(labels),
            has_packages: packages.any(|package| Some(package) != first),
            has_old: main.any(|main| main.is_some_and(is_compared)),
            has_history: rows.iter().any(|row| row.sparkline.is_some()),
            time,
        }
    }
}

impl Columns<'_> {
    /// Returns the metric of the columns of values.
    fn unit(self) -> Markup {
        html! { @if let Some(metric) = self.metric { " " small { (metric) } } }
    }
}

/// Returns the text that comes most often, the first one of equals.
fn most_common<'a>(texts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut numbers: Vec<(&str, usize)> = Vec::new();
    for text in texts {
        match numbers.iter_mut().find(|(known, _)| *known == text) {
            Some((_, number)) => *number += 1,
            None => numbers.push((text, 1)),
        }
    }
    numbers.into_iter().rev().max_by_key(|(_, number)| *number).map(|(text, _)| text)
}

impl TimeColumn {
    fn classes(self) -> &'static str {
        if self == Self::Only { "number" } else { "number middle" }
    }

    fn header(self) -> Markup {
        html! {
            @if self != Self::None { th class=(self.classes()) scope="col" data-unsorted { "Time" } }
        }
    }

    fn cell(self, summary: &Summary) -> Markup {
        html! {
            @if self != Self::None { (time::cell(summary.time.as_ref(), self.classes())) }
        }
    }
}

/// Returns the section with the table.
pub(super) fn section(rows: &[&StartRow<'_>], tally: &Tally) -> Markup {
    let columns = Columns::of(rows);
    let has_old = columns.has_old;
    // A script hides the others until the user asks for them
    let is_unchanged = |category: &Category| key(*category) == "unchanged";
    let is_folded = tally.keys().any(is_unchanged) && !tally.keys().all(is_unchanged);
    let keys: BTreeSet<_> = tally.keys().map(|category| key(*category)).collect();
    html! {
        section {
            h2 id="all" { "All benchmarks" }
            div.filter {
                label { "Filter " input type="search" data-filter="benchmark-table" data-key="/"; }
                label { "Show "
                    select data-status="benchmark-table" {
                        option value="" { "all" }
                        @if is_folded { option value="changed" selected { "changed" } }
                        @for key in keys { option value=(key) { (key) } }
                    }
                }
                output data-count="benchmark-table" aria-live="polite" { (counted(rows.len(), "benchmark")) }
            }
            div.scroll tabindex="0" role="region" aria-label="All benchmarks" {
                table.compared-values[has_old] id="benchmark-table" data-sortable {
                    thead { tr {
                        th scope="col" { "Benchmark" }
                        @if has_old { th.number.wide scope="col" { "Old" (columns.unit()) } }
                        @if columns.time != TimeColumn::Only { th.number scope="col" { "New" (columns.unit()) } }
                        @if has_old { th.number scope="col" { "Change" } }
                        (columns.time.header())
                        @if has_old { th.wide scope="col" { "Largest other change" } }
                        @if columns.has_history { th.wide scope="col" data-unsorted { "History" } }
                        th.middle scope="col" { "Status" }
                    } }
                    tbody.long { @for row in rows { (table_row(row, columns)) } }
                }
            }
            @if rows.len() > LISTED {
                p { button type="button" data-all="benchmark-table" data-most=(LISTED) { "Show all rows" } }
            }
        }
    }
}

fn is_compared(main: MainMetric<'_>) -> bool {
    main.metric.old.is_some()
}

fn table_row(row: &StartRow<'_>, columns: Columns<'_>) -> Markup {
    let has_old = columns.has_old;
    let Entry { summary, category, file } = row.entry;
    let main = main_metric(summary);
    let other = main.and_then(|main| largest_other(summary, main.metric));
    // It is not folded with the unchanged ones
    let timed = if time::is_clear(summary) { " timed" } else { "" };
    html! { tr {
        th scope="row" {
            a href=(file) { (path(&summary.name)) }
            @if columns.has_packages { " " small { (summary.package) } }
        }
        @if has_old { td.number.wide { (main.map(|main| value(main.metric.old)).unwrap_or_default()) } }
        @if columns.time != TimeColumn::Only {
            td.number { @if let Some(main) = main {
                (value(Some(main.value)))
                @if columns.metric != Some(&*main.metric.label) { " " small { (main.metric.label) } }
            } }
        }
        @if has_old { @match main {
            Some(main) => (change_cell(main.metric)),
            None => td.number { (label(*category)) },
        } }
        (columns.time.cell(summary))
        @if has_old {
            td.wide { @if let Some(metric) = other {
                @let change = change(metric);
                (metric.label) " " span class=[class(metric, change)] { (change_in_column(change)) }
            } }
        }
        @if columns.has_history { td.wide { @if let Some(sparkline) = &row.sparkline { (sparkline) } } }
        td class=(format!("middle {}{timed}", key(*category))) { (label(*category)) }
    } }
}
