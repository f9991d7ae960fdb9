//! Tables for a pull request or a CI job: failures first, then regressions and changes; unchanged benchmarks are
//! folded.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use iai_callgrind_plan::metric;
use iai_callgrind_summary::{EnvironmentChange, LimitValue, Metric, Status, Summary, Tool, Value};

use super::document::{Document, Format, Rendering};
use crate::compare::Change;
use crate::fingerprint::{FingerprintChange, changes_text};

/// Row in the table of formats.
pub(crate) static MARKDOWN: Format = Format {
    name: "markdown",
    about: "tables of changes for pull requests and CI jobs",
    rendering: Rendering::Whole(|document| Markdown::new(document.summaries).render(document)),
};

/// Benchmarks by category.
#[derive(Default)]
struct Markdown<'a> {
    failed: Vec<&'a Summary>,
    regressed: Vec<&'a Summary>,
    worse: Vec<&'a Summary>,
    better: Vec<&'a Summary>,
    unchanged: Vec<&'a Summary>,
    new: Vec<&'a Summary>,
}

impl<'a> Markdown<'a> {
    fn new(summaries: &'a [Summary]) -> Self {
        let mut sorted = Self::default();
        for summary in summaries {
            let list = match summary.status {
                Status::Failed => &mut sorted.failed,
                Status::Regressed => &mut sorted.regressed,
                Status::Ok => match direction(summary) {
                    None => &mut sorted.new,
                    Some(Ordering::Greater) => &mut sorted.worse,
                    Some(Ordering::Less) => &mut sorted.better,
                    Some(Ordering::Equal) => &mut sorted.unchanged,
                },
            };
            list.push(summary);
        }
        // The largest change first
        sorted.regressed.sort_by(|a, b| largest_change(b).total_cmp(&largest_change(a)));
        sorted.worse.sort_by(|a, b| largest_change(b).total_cmp(&largest_change(a)));
        sorted.better.sort_by(|a, b| largest_change(b).total_cmp(&largest_change(a)));
        sorted
    }

    fn render(&self, document: &Document<'_>) -> String {
        let mut text = String::new();
        // Never fails for a string
        let _ = self.write(&mut text, document);
        text
    }

    fn write(&self, text: &mut String, document: &Document<'_>) -> fmt::Result {
        writeln!(text, "### {}\n\n{}", files(document.summaries), self.headline())?;
        write_environment(text, document.summaries)?;
        for error in document.hook_failures {
            writeln!(text, "\n❌ Setup or teardown failed:{}", preformatted(error))?;
        }
        for summary in &self.failed {
            let error = summary.error.as_deref().unwrap_or_default();
            writeln!(text, "\n❌ {} failed:{}", code(&summary.name), preformatted(error))?;
        }
        let changed = self.regressed.iter().chain(&self.worse).chain(&self.better);
        let rows: Vec<_> = changed.flat_map(|summary| rows(summary)).collect();
        if !rows.is_empty() {
            writeln!(
                text,
                "\n| Benchmark | Metric | Old | New | Change |\n| --- | --- | --: | --: | --: |"
            )?;
            rows.iter().try_for_each(|row| writeln!(text, "{row}"))?;
        }
        let changed = self.regressed.iter().chain(&self.worse).chain(&self.better);
        changed.copied().try_for_each(|summary| write_explanations(text, summary))?;
        write_folded(text, &self.new, "without an old result")?;
        write_folded(text, &self.unchanged, "unchanged")
    }

    /// Returns `**1 broke limits**, 2 better, 97 unchanged`.
    fn headline(&self) -> String {
        let counts = [
            (&self.failed, "failed", true),
            (&self.regressed, "broke limits", true),
            (&self.worse, "worse", false),
            (&self.better, "better", false),
            (&self.new, "new", false),
            (&self.unchanged, "unchanged", false),
        ];
        let counts: Vec<_> = counts
            .into_iter()
            .filter(|(list, ..)| !list.is_empty())
            .map(|(list, what, is_bold)| {
                let count = format!("{} {what}", list.len());
                if is_bold { format!("**{count}**") } else { count }
            })
            .collect();
        if counts.is_empty() { "No benchmarks ran".to_owned() } else { counts.join(", ") }
    }
}

/// Writes the differences of the builds and machines, each once.
fn write_environment(text: &mut String, summaries: &[Summary]) -> fmt::Result {
    let changes = summaries.iter().flat_map(|summary| &summary.tools);
    let changes = changes.flat_map(|tool| tool.environment_changes.iter().cloned());
    let changes: BTreeSet<_> = changes
        .map(|EnvironmentChange { name, old, new }| FingerprintChange { name, old, new })
        .collect();
    if changes.is_empty() {
        return Ok(());
    }
    let changes = code(&changes_text(&changes.into_iter().collect::<Vec<_>>()));
    writeln!(text, "\n⚠️ The environment differs from that of the old results: {changes}")
}

/// Lists the benchmark files with their packages.
fn files(summaries: &[Summary]) -> String {
    let mut files: Vec<_> = summaries
        .iter()
        .map(|summary| code(&format!("{}: {}", summary.package, summary.file)))
        .collect();
    files.dedup();
    if files.is_empty() { "Benchmarks".to_owned() } else { files.join(", ") }
}

/// Returns the shown metrics of a tool with a new value.
fn shown(tool: &Tool) -> impl Iterator<Item = (&Metric, Value)> {
    let metrics = tool.shown.iter().filter_map(|name| tool.total.get(name));
    metrics.filter_map(|metric| Some((metric, metric.new?)))
}

fn change(metric: &Metric) -> Change {
    let value = |value: Option<Value>| {
        value.map(|value| match value {
            Value::Count(count) => metric::Value::Count(count),
            Value::Rate(rate) => metric::Value::Rate(rate),
        })
    };
    Change::between(value(metric.new), value(metric.old))
}

/// Returns `true` for a change beyond the tolerance.
fn is_changed(metric: &Metric) -> bool {
    !metric.tolerated && change(metric).direction().is_some_and(Ordering::is_ne)
}

/// Returns the direction of the first changed metric, or `None` without an old result.
fn direction(summary: &Summary) -> Option<Ordering> {
    let metrics = || summary.tools.iter().flat_map(shown).map(|(metric, _)| metric);
    let first = metrics().find(|metric| is_changed(metric)).map(change).and_then(Change::direction);
    let has_old = metrics().any(|metric| metric.old.is_some());
    first.or(has_old.then_some(Ordering::Equal))
}

/// Returns the change of the first changed metric in percent.
fn largest_change(summary: &Summary) -> f64 {
    let metrics = summary.tools.iter().flat_map(shown);
    let first = metrics.map(|(metric, _)| metric).find(|metric| is_changed(metric)).map(change);
    first.and_then(Change::percentage).map_or(0.0, f64::abs)
}

/// Returns a row for each regression, then for each changed metric.
fn rows(summary: &Summary) -> Vec<String> {
    let mut rows = Vec::new();
    let mut name = code(&summary.name);
    let mut row = |metric: &str, [old, new]: [String; 2], change: &str| {
        // The name is in the first row only
        rows.push(format!(
            "| {} | {metric} | {old} | {new} | {change} |",
            std::mem::take(&mut name)
        ));
    };
    for tool in &summary.tools {
        for regression in &tool.regressions {
            let message = format!("❌ {}", cell(&regression.message));
            let new = match &regression.new {
                LimitValue::Number(value) => value_text(Some(*value)),
                LimitValue::Class(class) => cell(class),
            };
            row(&message, [value_text(regression.old), new], "");
        }
        for (metric, new) in shown(tool).filter(|(metric, _)| is_changed(metric)) {
            let change = change(metric);
            let sign = if change.direction() == Some(Ordering::Greater) { "🔺" } else { "🔹" };
            let text = format!("{sign} {}", change.percentage_text().trim());
            let label = cell(&metric.label);
            row(&label, [metric.old, Some(new)].map(value_text), &text);
        }
    }
    rows
}

/// Writes the explanations of a benchmark's changes, folded.
fn write_explanations(text: &mut String, summary: &Summary) -> fmt::Result {
    for explanation in summary.tools.iter().filter_map(|tool| tool.explanation.as_ref()) {
        let lines = explanation.text.join("\n");
        let name = summary.name.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(
            text,
            "\n<details><summary>{name}: explanation</summary>{}",
            preformatted(&lines)
        )?;
        writeln!(text, "\n</details>")?;
    }
    Ok(())
}

fn value_text(value: Option<Value>) -> String {
    value.map_or_else(String::new, |value| match value {
        Value::Count(count) => count.to_string(),
        Value::Rate(rate) => metric::Value::Rate(rate).to_string(),
    })
}

/// Writes folded benchmarks, one line for each group, with their first metric.
fn write_folded(text: &mut String, summaries: &[&Summary], what: &str) -> fmt::Result {
    if summaries.is_empty() {
        return Ok(());
    }
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for summary in summaries {
        let group = format!("{}::{}", summary.file, summary.group);
        let rest = summary.name.strip_prefix(&format!("{group}::")).unwrap_or(&summary.name);
        let first = summary.tools.first().and_then(|tool| shown(tool).next());
        let value =
            first.map_or_else(String::new, |(_, new)| format!(" {}", value_text(Some(new))));
        groups.entry(group).or_default().push(code(rest) + &value);
    }
    writeln!(text, "\n<details><summary>{} {what}</summary>\n", summaries.len())?;
    for (group, benchmarks) in groups {
        writeln!(text, "- {}: {}", code(&group), benchmarks.join(", "))?;
    }
    writeln!(text, "\n</details>")
}

/// Returns a text as code, also in a table.
fn code(text: &str) -> String {
    format!("`{}`", cell(&text.replace('`', "'")))
}

/// Returns a text that ends neither a cell nor a row.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Returns a fenced block. The fence is longer than any fence in the text.
fn preformatted(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n\n{fence}text\n{}\n{fence}", text.trim_end())
}

#[cfg(test)]
mod tests;
