//! Metrics, old against new.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use iai_callgrind_base::numbers;
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::{MetricKind, PageGroup, PageName};
use iai_callgrind_summary::{Metric, Summary, Tool, Unit, Value};
use maud::{Markup, html};

use super::layout::{header, name, scroll};
use crate::format::{change, is_better_if_higher, metric_value, shown};

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

/// Returns the classes of a metric's change, for its colour and its arrow.
pub(super) fn class(metric: &Metric, change: Change) -> Option<&'static str> {
    match (change.direction()?, is_better_if_higher(metric)) {
        (Ordering::Equal, _) => None,
        (Ordering::Greater, false) => Some("worse up"),
        (Ordering::Less, true) => Some("worse down"),
        (Ordering::Less, false) => Some("better down"),
        (Ordering::Greater, true) => Some("better up"),
    }
}

/// Returns the classes of a cell with a number.
pub(super) fn number_class(class: Option<&str>) -> String {
    class.map_or_else(|| "number".to_owned(), |class| format!("number {class}"))
}

/// Returns a change in a sentence: `+61.8 %`, `+5 %`.
pub(super) fn change_text(change: Change) -> String {
    match change {
        Change::Equal => "0 %".to_owned(),
        change => change.short_text(),
    }
}

/// Returns a change in a column, with the same number of digits in each row: `+61.8 %`, `+5.00 %`.
pub(super) fn change_in_column(change: Change) -> String {
    match change {
        Change::Equal => change_text(change),
        change => change.column_text(),
    }
}

/// Returns a value with separators; empty without one.
pub(super) fn value(value: Option<Value>) -> String {
    value.map_or_else(String::new, |value| numbers::value(metric_value(value)))
}

/// Returns the old and the new value of a metric: `160,965 → 446,759`.
pub(super) fn compared_values(metric: &Metric) -> String {
    format!("{} → {}", value(metric.old), value(metric.new))
}

/// Returns the cell of a change.
pub(super) fn change_cell(metric: &Metric) -> Markup {
    let change = change(metric);
    let is_equal = change == Change::Equal || metric.tolerated;
    let class = if is_equal { Some("unchanged") } else { class(metric, change) };
    html! { td class=(number_class(class)) {
        (change_in_column(change)) @if metric.tolerated { " (tolerated)" }
    } }
}

/// Returns the metrics of a tool in groups, each a table.
pub(super) fn groups(tool: &Tool) -> Markup {
    let mut groups: BTreeMap<_, Vec<(&str, &Metric)>> = BTreeMap::new();
    for (name, metric) in &tool.total {
        let group = on_pages(name).map_or(PageGroup::Others, |(_, page)| page.group);
        groups.entry(group).or_default().push((name, metric));
    }
    let has_old = tool.total.values().any(|metric| metric.old.is_some());
    html! {
        h3 { (tool.tool) }
        div.groups { @for (group, metrics) in &mut groups {
            (table(tool, group.title(), metrics, has_old))
        } }
    }
}

/// Returns the metric with this name, and its name on pages; `None` for a counter.
fn on_pages(name: &str) -> Option<(MetricKind, PageName)> {
    let kind = MetricKind::ALL.iter().copied().find(|kind| kind.name() == name)?;
    Some((kind, kind.on_pages()?))
}

/// Returns the table of a group. Metrics that the terminal does not show are in it as well.
fn table(tool: &Tool, title: &str, metrics: &mut [(&str, &Metric)], has_old: bool) -> Markup {
    metrics.sort_by_key(|(name, _)| {
        // Counters and others keep the order of the document
        let known = on_pages(name).filter(|(_, page)| page.group != PageGroup::Others);
        known.map_or((u8::MAX, None), |(kind, page)| (page.place, Some(kind)))
    });
    let columns = [
        Some(("Metric", "")),
        has_old.then_some(("Old", "number middle")),
        Some(("New", "number")),
        has_old.then_some(("Change", "number")),
    ];
    let table = html! { table.metrics {
        caption { (title) }
        (header(columns))
        tbody { @for (name, metric) in metrics { (row(name, metric, has_old)) } }
    } };
    scroll(&format!("{title}, {}", tool.tool), &table)
}

fn row(metric_name: &str, metric: &Metric, has_old: bool) -> Markup {
    let unit = if metric.unit == Unit::Percent { " %" } else { "" };
    let text = |of: Option<Value>| match of {
        Some(_) => format!("{}{unit}", value(of)),
        None => "–".to_owned(),
    };
    let words = on_pages(metric_name).map(|(_, page)| page.words);
    let title = if metric_name == metric.label {
        metric.label.clone()
    } else {
        format!("{metric_name}: {}", metric.label)
    };
    // The label is the terminal's. An abbreviation is followed by words
    let words = words.filter(|_| metric_name == metric.label && !metric_name.contains(' '));
    let words = words.filter(|words| *words != metric.label);
    html! {
        tr {
            th scope="row" title=(title) {
                (name(&metric.label)) @if let Some(words) = words { " " small { (words) } }
            }
            @if has_old { td.number.middle { (text(metric.old)) } }
            td.number { (text(metric.new)) }
            @if has_old { (change_cell(metric)) }
        }
    }
}
