//! Tables of metrics, new against old.

use std::cmp::Ordering;

use iai_callgrind_summary::{Metric, Metrics, Summary, Tool, Value};
use maud::{Markup, html};

use super::layout::name;
use crate::compare::Change;
use crate::format::{change, is_better_if_higher, is_changed, shown, value_text};

/// The metric that represents a benchmark in tables: the first one that is shown.
#[derive(Clone, Copy)]
pub(super) struct MainMetric<'a> {
    pub(super) tool: &'a Tool,
    pub(super) metric: &'a Metric,
    pub(super) value: Value,
}

/// Returns the main metric of a benchmark; `None` if nothing was measured.
pub(super) fn main_metric(summary: &Summary) -> Option<MainMetric<'_>> {
    let first = |tool| shown(tool).next().map(|(metric, value)| MainMetric { tool, metric, value });
    summary.tools.iter().find_map(first)
}

/// Returns the shown metric with the largest relative change, except for the main one.
pub(super) fn largest_other<'a>(
    summary: &'a Summary,
    main: &Metric,
) -> Option<(&'a Metric, Change)> {
    let metrics = summary.tools.iter().flat_map(shown).map(|(metric, _)| metric);
    let changed = metrics.filter(|metric| is_changed(metric) && !std::ptr::eq(*metric, main));
    let pairs = changed.map(|metric| (metric, change(metric)));
    let size = |change: &Change| change.percentage().map_or(0.0, f64::abs);
    pairs.max_by(|(_, one), (_, other)| size(one).total_cmp(&size(other)))
}

/// Returns the class of a metric's change for its colour.
pub(super) fn class(metric: &Metric, change: Change) -> Option<&'static str> {
    match (change.direction()?, is_better_if_higher(metric)) {
        (Ordering::Equal, _) => None,
        (Ordering::Greater, false) | (Ordering::Less, true) => Some("worse"),
        (Ordering::Less, false) | (Ordering::Greater, true) => Some("better"),
    }
}

/// Returns the classes of a cell with a number.
pub(super) fn number_class(class: Option<&str>) -> String {
    class.map_or_else(|| "number".to_owned(), |class| format!("number {class}"))
}

/// Returns the cell of a change.
pub(super) fn change_cell(metric: &Metric, is_tolerated: bool) -> Markup {
    let change = change(metric);
    let text = match change {
        Change::Unknown => String::new(),
        Change::Equal => "0".to_owned(),
        change => change.percentage_text().trim().to_owned(),
    };
    let class = class(metric, change).filter(|_| !is_tolerated);
    html! { td class=(number_class(class)) { (text) @if is_tolerated { " (tolerated)" } } }
}

/// Returns the table of the metrics of a tool.
pub(super) fn table(tool: &Tool) -> Markup {
    let metrics = ordered(tool);
    let has_old = metrics.iter().any(|metric| metric.old.is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Metrics of {}", tool.tool)) {
            table {
                caption { (tool.tool) }
                thead { tr {
                    th scope="col" { "Metric" }
                    th.number scope="col" { "New" }
                    @if has_old {
                        th.number scope="col" { "Old" }
                        th.number scope="col" { "Change" }
                        th.number scope="col" { "Factor" }
                    }
                } }
                tbody { @for metric in metrics { (row(metric, has_old)) } }
            }
        }
    }
}

fn row(metric: &Metric, has_old: bool) -> Markup {
    let change = change(metric);
    let unit = if metric.unit == iai_callgrind_summary::Unit::Percent { " %" } else { "" };
    let value = |value: Option<Value>| match value {
        Some(value) => format!("{}{unit}", value_text(Some(value))),
        None => "–".to_owned(),
    };
    html! {
        tr {
            th scope="row" { (name(&metric.label)) }
            td.number { (value(metric.new)) }
            @if has_old {
                td.number { (value(metric.old)) }
                (change_cell(metric, metric.tolerated))
                td.number { (change.factor_text().unwrap_or_default().trim()) }
            }
        }
    }
}

/// Returns the shown metrics first, then the others.
fn ordered(tool: &Tool) -> Vec<&Metric> {
    let metrics: &Metrics = &tool.total;
    let first = tool.shown.iter().filter_map(|name| metrics.get(name));
    let others = metrics.iter().filter(|(name, _)| !tool.shown.contains(name));
    first.chain(others.map(|(_, metric)| metric)).collect()
}
