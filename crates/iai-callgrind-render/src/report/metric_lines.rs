//! The lines of a benchmark's block: `Label: new|old (change)`.

use std::iter;

use iai_callgrind_base::console::style::{FAINT, NEW};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_results::{Benchmark, Spread, ToolResult};
use iai_callgrind_tools::tool::ProcessMetrics;

use super::style::style_of;

/// The width of the labels with a colon after them.
const LABEL_WIDTH: usize = 17;
/// The width of each of the two values.
const VALUE_WIDTH: usize = 16;

/// The width of a line with values without its change: two spaces, the label, the values with a bar between
/// them, and two brackets.
pub(super) const HEADLINE_WIDTH: usize = 2 + LABEL_WIDTH + VALUE_WIDTH + 1 + VALUE_WIDTH + 11;

/// Formats metrics as lines.
#[derive(Clone, Copy)]
pub(super) struct MetricLines<'a> {
    /// The metrics, in the order of the lines.
    shown: &'a [MetricKind],
    /// Changes up to this percentage are shown as tolerated.
    tolerance: f64,
}

impl<'a> MetricLines<'a> {
    /// Returns the format of the lines of a tool.
    pub(super) fn new(tool: &'a ToolResult<'_>, benchmark: &Benchmark) -> Self {
        Self { shown: &tool.options.metrics, tolerance: benchmark.options.tolerance }
    }

    /// Returns the lines of metrics.
    pub(super) fn metrics(
        self,
        new: &'a Metrics,
        old: Option<&'a Metrics>,
    ) -> impl Iterator<Item = String> + 'a {
        new.shown_lines(self.shown).map(move |(kind, value)| {
            let old = old.and_then(|old| old.get(kind));
            let label = format!("{}:", kind.label());
            let old_text = old.map_or_else(|| "N/A".to_owned(), |old| old.to_string());
            let change = colored(kind, Change::between(Some(value), old), self.tolerance);
            let value = value.to_string();
            let width = value_width(&label, &value);
            format!(
                "{label:<LABEL_WIDTH$}{NEW}{value:>width$}{NEW:#}|{old_text:<VALUE_WIDTH$}{change}"
            )
        })
    }

    /// Returns the lines of a process or a thread.
    pub(super) fn part(
        self,
        new: &'a ProcessMetrics,
        old: Option<&'a ProcessMetrics>,
    ) -> impl Iterator<Item = String> + 'a {
        let name = |part: &ProcessMetrics| match part.thread {
            Some(thread) => format!("pid: {} thread: {thread}", part.pid),
            None => format!("pid: {}", part.pid),
        };
        let (new_name, old_name) =
            (format!("## {}", name(new)), old.map_or_else(|| "N/A".to_owned(), name));
        let width = LABEL_WIDTH + VALUE_WIDTH;
        iter::once(format!("{new_name:<width$}|{old_name}"))
            .chain([format!("{:<LABEL_WIDTH$}{}", "Command:", new.command)])
            .chain(self.metrics(&new.metrics, old.map(|old| &old.metrics)))
    }
}

/// Returns the lines of the minimum, median and maximum of each metric.
pub(super) fn spread_lines<'a>(tool: &'a ToolResult<'_>) -> impl Iterator<Item = String> + 'a {
    tool.new.total.shown_lines(&tool.options.metrics).filter_map(|(kind, _)| {
        let Spread { minimum, median, maximum, .. } = tool.spread(kind)?;
        let label = format!("{}:", kind.label());
        Some(format!(
            "{label:<LABEL_WIDTH$}{minimum:>VALUE_WIDTH$} {median:>VALUE_WIDTH$} {maximum:>VALUE_WIDTH$}"
        ))
    })
}

/// Returns the lines of the mean and the standard deviation of each metric.
pub(super) fn deviation_lines<'a>(tool: &'a ToolResult<'_>) -> impl Iterator<Item = String> + 'a {
    tool.new.total.shown_lines(&tool.options.metrics).filter_map(|(kind, _)| {
        let Spread { mean, deviation, .. } = tool.spread(kind)?;
        let (mean, deviation) = (format!("{mean:.1}"), format!("{deviation:.1}"));
        let label = format!("{}:", kind.label());
        Some(format!("{label:<LABEL_WIDTH$}{mean:>VALUE_WIDTH$} {deviation:>VALUE_WIDTH$}"))
    })
}

/// Returns the width of a new value. A long label takes space from it, and there is a space between the two.
fn value_width(label: &str, value: &str) -> usize {
    let label = label.chars().count();
    let least = if label < LABEL_WIDTH { 0 } else { value.chars().count() + 1 };
    (LABEL_WIDTH + VALUE_WIDTH).saturating_sub(label).clamp(least.min(VALUE_WIDTH), VALUE_WIDTH)
}

/// Returns the change in its colours, or the word for a tolerated one.
fn colored(kind: MetricKind, change: Change, tolerance: f64) -> String {
    if change.is_within(tolerance) {
        return format!("({FAINT}Tolerance{FAINT:#})");
    }
    let style = style_of(kind, change);
    let percentage = format!("({style}{}{style:#})", change.percentage_text());
    match change.factor_text() {
        Some(factor) => format!("{percentage} [{style}{factor}{style:#}]"),
        None => percentage,
    }
}
