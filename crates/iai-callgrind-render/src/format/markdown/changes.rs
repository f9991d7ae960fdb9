//! Changed benchmarks with their causes: a row for each, and their explanations.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use iai_callgrind_base::note::counted;
use iai_callgrind_base::numbers;
use iai_callgrind_summary::{Limit, LimitKind, LimitValue, Metric, Summary, Value};

use super::{cell, code, code_cell, inline, preformatted, title, value_text};
use crate::format::causes::{CauseGroup, group_by_cause, range_text};
use crate::format::changes::{Category, Numbers, change, deciding};

/// Number of rows of a table, the others of which are folded.
const ROWS: usize = 20;

/// Number of rows of a cause if there are others.
const ROWS_OF_CAUSE: usize = 3;

/// Number of rows of the only cause.
const ROWS_OF_ONE: usize = 10;

/// The header of a table.
const HEADER: &str =
    "\n| Benchmark | Metric | Old | New | Change | Cause |\n| --- | --- | --: | --: | --: | --- |";

/// Writes the causes of these benchmarks as a numbered list, and a table that refers to it. Broken limits come first,
/// starting with the cause of the worst change, then the cause of most benchmarks. The explanation of a cause is the
/// one of its largest change. A benchmark without a known cause has its own. The numbers follow `last`, so that each
/// cause of a comment has another one; returns the last of them.
pub(super) fn write_changes<'a>(
    text: &mut String,
    summaries: impl Iterator<Item = &'a Summary>,
    last: usize,
) -> Result<usize, fmt::Error> {
    let mut groups = group_by_cause(summaries);
    let worst = |group: &CauseGroup<'_>| group.summaries.iter().map(|one| Category::of(one)).min();
    groups.sort_by_key(worst);
    if groups.is_empty() {
        return Ok(last);
    }
    write_causes(text, &groups, last)?;
    let most = if groups.len() == 1 { ROWS_OF_ONE } else { ROWS_OF_CAUSE };
    let (mut shown, mut folded, mut rest) = (Vec::new(), Vec::new(), Numbers::default());
    for (number, group) in numbered(&groups, last) {
        // Each benchmark without a known cause has its own entry
        let most = if group.cause.is_some() { most } else { ROWS };
        let cause = number.map_or_else(String::new, |number| number.to_string());
        for (index, summary) in group.summaries.iter().enumerate() {
            let rows = rows_of_benchmark(summary, &cause);
            let category = Category::of(summary);
            let rows = rows.into_iter().map(|row| (category, row));
            if index < most && shown.len() < ROWS {
                shown.extend(rows);
            } else {
                folded.extend(rows);
                rest.add(category);
            }
        }
    }
    write_rows(text, shown)?;
    if !folded.is_empty() {
        writeln!(text, "\n<details><summary>{}</summary>", folded_text(&rest))?;
        write_rows(text, folded)?;
        writeln!(text, "\n</details>")?;
    }
    let explained: Vec<_> = groups.iter().flat_map(explained).collect();
    write_explanations(text, &explained)?;
    Ok(last + groups.iter().filter(|group| group.cause.is_some()).count())
}

/// Returns the number of folded benchmarks, with those of each category if there are several: `3 more: 1 exceeded a limit, 2 worse`.
fn folded_text(numbers: &Numbers) -> String {
    let more = format!("{} more", numbers.total());
    if numbers.categories() > 1 { format!("{more}: {}", numbers.list()) } else { more }
}

/// Writes a table of rows, those of broken limits first. Otherwise they stay next to those with the same cause.
fn write_rows(text: &mut String, mut rows: Vec<(Category, String)>) -> fmt::Result {
    rows.sort_by_key(|(category, _)| *category);
    writeln!(text, "{HEADER}")?;
    rows.iter().try_for_each(|(_, row)| writeln!(text, "{row}"))
}

/// Returns the groups with the numbers of their causes, which follow `last`; groups without a known cause have none.
fn numbered<'a, 'b>(
    groups: &'a [CauseGroup<'b>],
    last: usize,
) -> impl Iterator<Item = (Option<usize>, &'a CauseGroup<'b>)> {
    let mut number = last;
    groups.iter().map(move |group| {
        number += usize::from(group.cause.is_some());
        (group.cause.map(|_| number), group)
    })
}

/// Writes a numbered list of the causes. They are too long for a column of the table.
fn write_causes(text: &mut String, groups: &[CauseGroup<'_>], last: usize) -> fmt::Result {
    let mut lines = String::new();
    for (number, group) in numbered(groups, last) {
        let Some((number, cause)) = number.zip(group.cause) else { continue };
        write!(lines, "\n{number}. {}", inline(&cause.text))?;
        if group.summaries.len() > 1 {
            let benchmarks = counted(group.summaries.len(), "benchmark");
            write!(lines, ": {benchmarks}, {}", range_text(&group.summaries))?;
        }
    }
    if lines.is_empty() { Ok(()) } else { writeln!(text, "{lines}") }
}

/// Returns a row for each metric with a broken limit, and one for the metric that decides.
fn rows_of_benchmark(summary: &Summary, cause: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let (mut name, mut cause) = (code_cell(&summary.name), cause);
    let mut row = |metric: &str, [old, new]: [String; 2], change: &str| {
        // Name and cause are in the first row only
        let (name, cause) = (std::mem::take(&mut name), std::mem::take(&mut cause));
        rows.push(format!("| {name} | {metric} | {old} | {new} | {change} | {cause} |"));
    };
    let mut broken: Vec<&Metric> = Vec::new();
    for tool in &summary.tools {
        for regression in &tool.regressions {
            let metric = tool.total.get(&regression.limit.metric);
            if let Some((metric, limit)) = metric.zip(limit_text(&regression.limit)) {
                let text = format!("❌ {} (limit {limit})", change(metric).short_text());
                row(&cell(&metric.label), [metric.old, metric.new].map(value_text), &text);
                broken.push(metric);
                continue;
            }
            let new = match &regression.new {
                LimitValue::Number(value) => value_text(Some(*value)),
                LimitValue::Class(class) => cell(class),
            };
            let message = format!("❌ {}", cell(&regression.message));
            row(&message, [value_text(regression.old), new], "");
        }
    }
    let deciding = deciding(summary);
    let is_new = |metric: &&Metric| !broken.iter().any(|known| std::ptr::eq(*known, *metric));
    if let Some(metric) = deciding.filter(is_new) {
        let change = change(metric);
        let sign = if change.direction() == Some(Ordering::Greater) { "🔺" } else { "🔹" };
        let text = format!("{sign} {}", change.short_text());
        row(&cell(&metric.label), [metric.old, metric.new].map(value_text), &text);
    }
    rows
}

/// Returns a limit of a value as text: `+5 %`, `10,000`; `None` for one that is not about a value alone.
fn limit_text(limit: &Limit) -> Option<String> {
    match (limit.kind, &limit.value) {
        (LimitKind::Soft, LimitValue::Number(Value::Rate(percentage))) => {
            Some(numbers::percent(*percentage))
        }
        (LimitKind::Hard, LimitValue::Number(value)) => Some(value_text(Some(*value))),
        _ => None,
    }
}

/// Returns the benchmarks of a group that are explained.
fn explained<'a>(group: &CauseGroup<'a>) -> Vec<&'a Summary> {
    let number = if group.cause.is_some() { 1 } else { group.summaries.len() };
    let has_explanation =
        |summary: &&Summary| summary.tools.iter().any(|tool| tool.explanation.is_some());
    group.summaries.iter().take(number).copied().filter(has_explanation).collect()
}

/// Writes the explanations of these benchmarks, folded.
fn write_explanations(text: &mut String, summaries: &[&Summary]) -> fmt::Result {
    let title = match summaries {
        [] => return Ok(()),
        [summary] => format!("{}: explanation", title(&summary.name)),
        several => counted(several.len(), "explanation"),
    };
    writeln!(text, "\n<details><summary>{title}</summary>")?;
    for summary in summaries {
        if summaries.len() > 1 {
            writeln!(text, "\n{}", code(&summary.name))?;
        }
        for explanation in summary.tools.iter().filter_map(|tool| tool.explanation.as_ref()) {
            let lines = preformatted(&explanation.text.join("\n"));
            writeln!(text, "{}", lines.strip_prefix('\n').unwrap_or(&lines))?;
        }
    }
    writeln!(text, "\n</details>")
}
