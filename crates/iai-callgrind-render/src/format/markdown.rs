//! Tables for a pull request or a CI job: a sentence about all benchmarks, failures, then regressions and changes; unchanged
//! benchmarks are folded.

mod changes;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use iai_callgrind_base::Natural;
use iai_callgrind_base::numbers;
use iai_callgrind_summary::{EnvironmentChange, Summary, Value};
use iai_callgrind_timing::text::{change as change_of_time, change_interval, duration};
use iai_callgrind_tools::fingerprint::{FingerprintChange, changes_text};

use self::changes::write_changes;
use self::verdict::sentence;
use super::changes::{Category, largest_change, metric_value, shown};
use super::document::{Document, Format, Rendering, Syntax};
use super::times::time_verdict;
use crate::group::{GroupCell, crossovers, tables_of};

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
        let has_failed = !document.hook_failures.is_empty();
        writeln!(text, "{}", sentence(self, document.summaries, has_failed))?;
        write_environment(text, document.summaries)?;
        for error in document.hook_failures {
            writeln!(text, "\n❌ Setup or teardown failed:{}", preformatted(error))?;
        }
        for summary in self.of(Category::Failed) {
            let error = summary.error.as_deref().unwrap_or_default();
            writeln!(text, "\n❌ {} failed:{}", code(&summary.name), preformatted(error))?;
        }
        let causes = write_changes(text, self.of_all(&WORSE), 0)?;
        self.write_better(text, causes)?;
        write_times(text, document.summaries)?;
        write_groups(text, document.summaries)?;
        write_folded(text, self.of(Category::New), "without an old result")?;
        write_folded(text, self.of(Category::CachesOnly), "moved in caches only")?;
        write_folded(text, self.of(Category::Unchanged), "unchanged")
    }

    /// Writes the benchmarks that became better, folded below others, whose causes have the numbers up to this one.
    fn write_better(&self, text: &mut String, causes: usize) -> fmt::Result {
        let better = self.of(Category::Better);
        let is_folded = !better.is_empty() && self.of_all(&WORSE).next().is_some();
        if is_folded {
            writeln!(text, "\n<details><summary>{} better</summary>", better.len())?;
        }
        write_changes(text, better.iter().copied(), causes)?;
        if is_folded { writeln!(text, "\n</details>") } else { Ok(()) }
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

/// Returns a value with separators, empty without one.
fn value_text(value: Option<Value>) -> String {
    value.map_or_else(String::new, |value| numbers::value(metric_value(value)))
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
            code_cell(&summary.name),
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
        let title = title(&table.title());
        let columns: Vec<_> = columns.into_iter().map(code_cell).collect();
        writeln!(text, "\n<details><summary>{title}</summary>\n\n| | {} |", columns.join(" | "))?;
        writeln!(text, "| --- |{}", " --: |".repeat(columns.len()))?;
        let cell = |cell: &Option<GroupCell>| match cell {
            Some(GroupCell { text, is_best: true, .. }) => format!("**{text}**"),
            Some(GroupCell { text, .. }) => text.clone(),
            None => String::new(),
        };
        for (name, cells) in &rows {
            let cells: Vec<_> = cells.iter().map(cell).collect();
            writeln!(text, "| {} | {} |", code_cell(name), cells.join(" | "))?;
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

/// Returns a text as code in a sentence. The fence is longer than any in the text.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let longest = longest_fence(&text);
    let (fence, space) = ("`".repeat(longest + 1), if longest > 0 { " " } else { "" });
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns a text as code in a cell of a table.
fn code_cell(text: &str) -> String {
    cell(&code(text))
}

/// Returns a text in a sentence or in a cell.
fn inline(text: &str) -> String {
    cell(&title(text))
}

/// Returns a text in the summary of a folded part, where only HTML has a meaning.
fn title(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace(['\n', '\r'], " ")
}

/// Returns a text that ends neither a cell nor a row.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

/// Returns a fenced block. The fence is longer than any fence in the text.
fn preformatted(text: &str) -> String {
    let fence = "`".repeat(longest_fence(text).max(2) + 1);
    format!("\n\n{fence}text\n{}\n{fence}", text.trim_end())
}

/// Returns the largest number of backticks in a row.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
