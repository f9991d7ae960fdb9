//! The table of all benchmarks, which can be sorted and filtered.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::entry::{Entry, key, label};
use super::layout::name;
use super::metrics::{
    MainMetric, change_cell, change_text, class, largest_other, main_metric, value,
};
use super::verdict::Tally;
use crate::note::counted;

/// Number of rows that a script shows at first, which is in the style as well.
const LISTED: usize = 200;

/// A benchmark on the start page.
pub(super) struct StartRow<'a> {
    pub(super) entry: &'a Entry<'a>,
    pub(super) sparkline: Option<Markup>,
}

/// Returns the section with the table. A first run has no columns of old values and changes.
pub(super) fn section(rows: &[&StartRow<'_>], tally: &Tally) -> Markup {
    let has_old = rows.iter().any(|row| main_metric(row.entry.summary).is_some_and(is_compared));
    let keys: BTreeSet<_> = tally.keys().map(|category| key(*category)).collect();
    html! {
        section {
            h2 id="all" { "All benchmarks" }
            div.filter {
                label { "Filter " input type="search" data-filter="benchmark-table" data-key="/"; }
                label { "Show "
                    select data-status="benchmark-table" {
                        option value="" { "all" }
                        @for key in keys { option value=(key) { (key) } }
                    }
                }
                output data-count="benchmark-table" aria-live="polite" { (counted(rows.len(), "benchmark")) }
            }
            div.scroll tabindex="0" role="region" aria-label="All benchmarks" {
                table id="benchmark-table" data-sortable {
                    thead { tr {
                        th scope="col" { "Benchmark" }
                        @if has_old { th.number.wide scope="col" { "Old" } }
                        th.number scope="col" { "New" }
                        @if has_old {
                            th.number scope="col" { "Change" }
                            th.wide scope="col" { "Largest other change" }
                        }
                        th.wide scope="col" data-unsorted { "History" }
                        th.middle scope="col" { "Status" }
                    } }
                    tbody.long { @for row in rows { (table_row(row, has_old)) } }
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

fn table_row(row: &StartRow<'_>, has_old: bool) -> Markup {
    let Entry { summary, category, file } = row.entry;
    let main = main_metric(summary);
    let other = main.and_then(|main| largest_other(summary, main.metric));
    html! { tr {
        th scope="row" { a href=(file) { (name(&summary.name)) } }
        @if has_old { td.number.wide { (main.map(|main| value(main.metric.old)).unwrap_or_default()) } }
        td.number { @if let Some(main) = main {
            (value(Some(main.value)))
            @if main.metric.label != "Instructions" { " " small { (main.metric.label) } }
        } }
        @if has_old {
            @match main {
                Some(main) => (change_cell(main.metric)),
                None => td.number { (label(*category)) },
            }
            td.wide { @if let Some((metric, change)) = other {
                (metric.label) " " span class=[class(metric, change)] { (change_text(change)) }
            } }
        }
        td.wide { @if let Some(sparkline) = &row.sparkline { (sparkline) } }
        td class=(format!("middle {}", key(*category))) { (label(*category)) }
    } }
}
