//! Tables for a pull request or a CI job: failures first, then regressions and changes; unchanged benchmarks are
//! folded.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use iai_callgrind_base::Natural;
use iai_callgrind_base::note::counted;
use iai_callgrind_base::numbers;
use iai_callgrind_revisions::commit_of_kept;
use iai_callgrind_summary::explanation::Cause;
use iai_callgrind_summary::{
    EnvironmentChange, Limit, LimitKind, LimitValue, Metric, Summary, Value,
};
use iai_callgrind_timing::text::{change as change_of_time, change_interval, duration};
use iai_callgrind_tools::fingerprint::{FingerprintChange, changes_text};

use super::causes::{CauseGroup, group_by_cause, range_text};
use super::changes::{Category, change, deciding, largest_change, metric_value, shown};
use super::document::{Document, Format, Rendering, Syntax};
use super::times::time_verdict;
use crate::group::{GroupCell, crossovers, tables_of};

/// Number of digits of a commit.
const SHORT: usize = 7;

/// Number of rows of a table, the others of which are folded.
const ROWS: usize = 10;

/// The categories of benchmarks that became worse.
const WORSE: [Category; 2] = [Category::Regressed, Category::Worse];

/// Row in the table of formats.
pub(super) static MARKDOWN: Format = Format {
    name: "markdown",
    about: "tables of changes for pull requests and CI jobs",
    syntax: Syntax::Text,
    rendering: Rendering::Whole(|document| Markdown::new(document.summaries).render(document)),
};

/// Benchmarks by category.
struct Markdown<'a>(BTreeMap<Category, Vec<&'a Summary>>);

impl<'a> Markdown<'a> {
    fn new(summaries: &'a [Summary]) -> Self {
        let mut sorted: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for summary in summaries {
            sorted.entry(Category::of(summary)).or_default().push(summary);
        }
        for category in [Category::Regressed, Category::Worse, Category::Better] {
            let list = sorted.entry(category).or_default();
            // The largest change first
            list.sort_by(|a, b| largest_change(b).total_cmp(&largest_change(a)));
        }
        Self(sorted)
    }

    /// Returns the benchmarks of a category.
    fn of(&self, category: Category) -> &[&'a Summary] {
        self.0.get(&category).map_or(&[], Vec::as_slice)
    }

    /// Returns the benchmarks of these categories.
    fn of_all(&self, categories: &'static [Category]) -> impl Iterator<Item = &'a Summary> {
        categories.iter().flat_map(|category| self.of(*category)).copied()
    }

    fn render(&self, document: &Document<'_>) -> String {
        let mut text = String::new();
        // Never fails for a string
        let _ = self.write(&mut text, document);
        text
    }

    fn write(&self, text: &mut String, document: &Document<'_>) -> fmt::Result {
        let (files, commits) = (files(document.summaries), commits(document.summaries));
        writeln!(text, "### {files}{commits}\n\n{}", self.headline())?;
        write_environment(text, document.summaries)?;
        for error in document.hook_failures {
            writeln!(text, "\n❌ Setup or teardown failed:{}", preformatted(error))?;
        }
        for summary in self.of(Category::Failed) {
            let error = summary.error.as_deref().unwrap_or_default();
            writeln!(text, "\n❌ {} failed:{}", code(&summary.name), preformatted(error))?;
        }
        for CauseGroup { cause, summaries } in group_by_cause(self.of_all(&WORSE)) {
            write_cause(text, cause, &summaries)?;
        }
        self.write_better(text)?;
        write_times(text, document.summaries)?;
        write_groups(text, document.summaries)?;
        write_folded(text, self.of(Category::New), "without an old result")?;
        write_folded(text, self.of(Category::CachesOnly), "moved in caches only")?;
        write_folded(text, self.of(Category::Unchanged), "unchanged")?;
        match command(document.summaries) {
            Some(command) => writeln!(text, "\nRepeat it with {}", code(&command)),
            None => Ok(()),
        }
    }

    /// Writes the benchmarks that became better, folded below others.
    fn write_better(&self, text: &mut String) -> fmt::Result {
        let better = self.of(Category::Better);
        let is_folded = !better.is_empty() && self.of_all(&WORSE).next().is_some();
        if is_folded {
            writeln!(text, "\n<details><summary>{} better</summary>", better.len())?;
        }
        for CauseGroup { cause, summaries } in group_by_cause(better.iter().copied()) {
            write_cause(text, cause, &summaries)?;
        }
        if is_folded { writeln!(text, "\n</details>") } else { Ok(()) }
    }

    /// Returns `**1 exceeded a limit**, 2 better, 97 unchanged`.
    fn headline(&self) -> String {
        let counts = self.0.iter().filter(|(_, summaries)| !summaries.is_empty());
        let counts = counts.map(|(category, summaries)| {
            let count = format!("{} {}", summaries.len(), category.text(summaries.len()));
            if category.is_failure() { format!("**{count}**") } else { count }
        });
        let counts: Vec<_> = counts.collect();
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

/// Returns the commits of the results in parentheses, if they are known and all have the same.
fn commits(summaries: &[Summary]) -> String {
    let tools = summaries.iter().flat_map(|summary| &summary.tools);
    let explained = tools.filter_map(|tool| tool.explanation.as_ref()?.changed_files.as_ref());
    let short = |commit: &str| commit.get(..SHORT).unwrap_or(commit).to_owned();
    let commits: BTreeSet<_> =
        explained.map(|files| (short(&files.old), short(&files.new))).collect();
    match commits.first() {
        Some((old, new)) if commits.len() == 1 && old != new => format!(" ({old} → {new})"),
        _ => String::new(),
    }
}

/// Returns the command that compares the benchmarks with the same baseline; `None` without a baseline of the user's.
fn command(summaries: &[Summary]) -> Option<String> {
    let baselines: BTreeSet<_> =
        summaries.iter().map(|summary| summary.baselines.old.as_deref()).collect();
    let name = baselines.first().copied().flatten().filter(|_| baselines.len() == 1)?;
    let files: BTreeSet<_> = summaries.iter().map(|summary| &*summary.file).collect();
    let files: String = files.into_iter().flat_map(|file| [" --bench ", file]).collect();
    let option = match commit_of_kept(name) {
        Some(commit) => format!("against={commit}"),
        None => format!("baseline={name}"),
    };
    Some(format!("cargo bench{files} -- --{option}"))
}

/// Writes a cause with the benchmarks that have it and the explanation of the largest change. Without a cause, each
/// explanation is one of its own.
fn write_cause(text: &mut String, cause: Option<&Cause>, summaries: &[&Summary]) -> fmt::Result {
    if let Some(cause) = cause {
        let range = range_text(summaries);
        let number = counted(summaries.len(), "benchmark");
        writeln!(text, "\n**{}**: {number}, {range}", cell(&cause.text).replace('<', "&lt;"))?;
    }
    writeln!(
        text,
        "\n| Benchmark | Metric | Old | New | Change |\n| --- | --- | --: | --: | --: |"
    )?;
    let rows: Vec<_> = summaries.iter().copied().flat_map(rows).collect();
    rows.iter().take(ROWS).try_for_each(|row| writeln!(text, "{row}"))?;
    if let Some(others) = rows.get(ROWS..).filter(|others| !others.is_empty()) {
        writeln!(
            text,
            "\n<details><summary>{} more</summary>\n\n| Benchmark | Metric | Old | New | Change |\n\
             | --- | --- | --: | --: | --: |",
            others.len()
        )?;
        others.iter().try_for_each(|row| writeln!(text, "{row}"))?;
        writeln!(text, "\n</details>")?;
    }
    let explained = if cause.is_some() { 1 } else { summaries.len() };
    summaries.iter().take(explained).try_for_each(|summary| write_explanations(text, summary))
}

/// Returns a row for each metric with a broken limit, and one for the metric that decides.
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

/// Returns a value with separators, empty without one.
fn value_text(value: Option<Value>) -> String {
    value.map_or_else(String::new, |value| numbers::value(metric_value(value)))
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

/// Writes the table of times, if benchmarks were timed on both sides.
fn write_times(text: &mut String, summaries: &[Summary]) -> fmt::Result {
    let timed = summaries.iter().filter_map(|summary| {
        let time = summary.time.as_ref()?;
        Some((summary, time, &time.old.as_ref()?.wall, &time.ratio.as_ref()?.wall))
    });
    let rows = timed.map(|(summary, time, old, ratio)| {
        let interval = ratio.low.zip(ratio.high);
        let verdict = time_verdict(time).unwrap_or_default();
        let bold = if time.exceeded_limit.is_some() { "**" } else { "" };
        let [before, after] = [old.value, time.new.wall.value].map(duration);
        format!(
            "| {} | {before} | {after} | {} {} | {bold}{verdict}{bold} |",
            code(&summary.name),
            change_of_time(ratio.value, interval),
            change_interval(interval),
        )
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n| Benchmark | Time, old | Time, new | Change, 95 % interval | |\n| --- | --: | --: | --: | --- |"
    )?;
    rows.iter().try_for_each(|row| writeln!(text, "{row}"))
}

/// Writes the groups whose functions have the same inputs, folded. The best function of each input is bold.
fn write_groups(text: &mut String, summaries: &[Summary]) -> fmt::Result {
    for table in tables_of(summaries) {
        let (columns, rows) = table.rows();
        let title = format!("{}: {} of each function and input", table.group, table.metric);
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        let columns: Vec<_> = columns.into_iter().map(code).collect();
        writeln!(text, "\n<details><summary>{title}</summary>\n\n| | {} |", columns.join(" | "))?;
        writeln!(text, "| --- |{}", " --: |".repeat(columns.len()))?;
        let cell = |cell: &Option<GroupCell>| match cell {
            Some(GroupCell { text, is_best: true, .. }) => format!("**{text}**"),
            Some(GroupCell { text, .. }) => text.clone(),
            None => String::new(),
        };
        for (name, cells) in &rows {
            let cells: Vec<_> = cells.iter().map(cell).collect();
            writeln!(text, "| {} | {} |", code(name), cells.join(" | "))?;
        }
        for sentence in crossovers(&table, summaries) {
            writeln!(text, "\n{}", code(&sentence))?;
        }
        writeln!(text, "\n</details>")?;
    }
    Ok(())
}

/// Writes folded benchmarks, one line for each group, with their first metric.
fn write_folded(text: &mut String, summaries: &[&Summary], what: &str) -> fmt::Result {
    if summaries.is_empty() {
        return Ok(());
    }
    let mut groups: BTreeMap<Natural<String>, Vec<String>> = BTreeMap::new();
    for summary in summaries {
        let group = format!("{}::{}", summary.file, summary.group);
        let rest = summary.name.strip_prefix(&format!("{group}::")).unwrap_or(&summary.name);
        let first = summary.tools.first().and_then(|tool| shown(tool).next());
        let value =
            first.map_or_else(String::new, |(_, new)| format!(" {}", value_text(Some(new))));
        groups.entry(Natural(group)).or_default().push(code(rest) + &value);
    }
    writeln!(text, "\n<details><summary>{} {what}</summary>\n", summaries.len())?;
    for (Natural(group), benchmarks) in groups {
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
