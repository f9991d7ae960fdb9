//! One line for each benchmark, for people: its name, instructions, estimated cycles and their changes.

use std::cmp::Ordering;

use iai_callgrind_base::console::style::{ARGUMENTS, FAINT, ID, NEW, PATH, WORSE};
use iai_callgrind_base::{console::one_line, numbers};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::Compare;
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_results::{Benchmark, BenchmarkResult, ProcessResult, ToolResult};

use super::style::style_of;

/// Maximum width of the names. A longer one moves the values of its line.
const WIDEST_NAME: usize = 60;

/// Width of a value, of 999,999,999,999 at least.
const VALUE_WIDTH: usize = 15;

/// Width of a change: `+1,260 %`.
const CHANGE_WIDTH: usize = 9;

/// The metrics with a column of their own.
const COLUMNS: [(MetricKind, &str); 2] =
    [(MetricKind::Ir, "Instructions"), (MetricKind::EstimatedCycles, "Est. cycles")];

/// The metrics that only blocks have, unless something else is chosen.
const ONLY_IN_BLOCKS: [MetricKind; 4] =
    [MetricKind::L1hits, MetricKind::LLhits, MetricKind::RamHits, MetricKind::TotalRW];

/// Formats results as lines.
#[derive(Debug, Default)]
pub(super) struct Rows {
    name_width: usize,
    /// There are old results to compare with.
    has_old: bool,
}

impl Rows {
    /// Returns the format of lines for these benchmarks.
    pub(super) fn new(benchmarks: &[Benchmark], has_old: bool) -> Self {
        let widths = benchmarks.iter().map(|benchmark| plain_name(benchmark).chars().count());
        Self { name_width: widths.max().unwrap_or(0).min(WIDEST_NAME), has_old }
    }

    /// Returns the names of the columns.
    pub(super) fn heading(&self) -> String {
        let change =
            if self.has_old { format!("  {:>CHANGE_WIDTH$}", "change") } else { String::new() };
        let columns = COLUMNS.map(|(_, label)| format!("  {label:>VALUE_WIDTH$}{change}"));
        format!("{FAINT}{:width$}{}{FAINT:#}", "", columns.concat(), width = self.name_width)
    }

    /// Returns the line of a benchmark, and lines below with what has no column.
    pub(super) fn lines(&self, result: &BenchmarkResult<'_>, only_comparison: bool) -> Vec<String> {
        let benchmark = result.benchmark;
        let mut lines = vec![self.name(benchmark)];
        let is_hidden = only_comparison && benchmark.compare != Compare::No;
        for (index, tool) in result.tools.iter().enumerate().filter(|_| !is_hidden) {
            let columns = if index == 0 { &COLUMNS[..] } else { &[] };
            for (kind, _) in columns {
                lines[0] += &self.cells(tool, *kind, benchmark.options.tolerance);
            }
            lines.extend(others(tool, columns, benchmark));
            lines.extend(spread(tool));
            lines.extend(tool.processes.iter().flat_map(process));
        }
        for (other, totals) in &result.comparisons {
            let compared = result.compared_with(totals).flat_map(|(this, total)| {
                let kinds = kinds(this, total);
                kinds
                    .into_iter()
                    .map(move |kind| change_in_words(kind, &this.new.total, Some(total)))
            });
            let compared: Vec<_> = compared.collect();
            let id = other.id.as_deref().map_or_else(String::new, |id| format!(" {id}"));
            let name = other.function();
            lines.push(format!(
                "    {FAINT}compared with{FAINT:#} {PATH}{name}{PATH:#}{ID}{id}{ID:#}: {}",
                compared.join(", ")
            ));
        }
        let exceeded = result.regressions();
        lines.extend(
            exceeded.map(|regression| format!("    {WORSE}limit exceeded{WORSE:#}: {regression}")),
        );
        lines
    }

    /// Returns the name of a benchmark without that of its file, padded.
    fn name(&self, benchmark: &Benchmark) -> String {
        let padding = self.name_width.saturating_sub(plain_name(benchmark).chars().count());
        let (path, case) = parts(benchmark);
        let case = case.map_or_else(String::new, |(id, arguments)| {
            format!(" {ID}{id}:{ID:#}{ARGUMENTS}{arguments}{ARGUMENTS:#}")
        });
        format!("{PATH}{path}{PATH:#}{case}{}", " ".repeat(padding))
    }

    /// Returns the value of a metric and its change.
    fn cells(&self, tool: &ToolResult<'_>, kind: MetricKind, tolerance: f64) -> String {
        let is_shown = tool.options.metrics.contains(&kind);
        let new = tool.new.total.get(kind).filter(|_| is_shown);
        let old = tool.old.as_ref().and_then(|old| old.total.get(kind));
        let value = new.map_or_else(|| "–".to_owned(), numbers::value);
        let cell = format!("  {NEW}{value:>VALUE_WIDTH$}{NEW:#}");
        if !self.has_old {
            return cell;
        }
        let change = Change::between(new, old);
        let style = if change.is_within(tolerance) { FAINT } else { style_of(kind, change) };
        let text = match (new, old) {
            (Some(_), None) => "new".to_owned(),
            _ if change == Change::Equal => "0 %".to_owned(),
            _ => change.short_text(),
        };
        format!("{cell}  {style}{text:>CHANGE_WIDTH$}{style:#}")
    }
}

/// Returns the shown metrics of a tool that have no column, with their changes.
fn others(
    tool: &ToolResult<'_>,
    columns: &[(MetricKind, &str)],
    benchmark: &Benchmark,
) -> Option<String> {
    let has_column = |kind: MetricKind| columns.iter().any(|(column, _)| *column == kind);
    let is_default = tool.options.metrics == tool.options.tool.metrics.default();
    let is_hidden =
        |kind: &MetricKind| has_column(*kind) || is_default && ONLY_IN_BLOCKS.contains(kind);
    let shown = tool.new.total.shown_lines(&tool.options.metrics);
    let kinds = shown.map(|(kind, _)| kind).filter(|kind| !is_hidden(kind));
    let old = tool.old.as_ref().map(|old| &old.total);
    let texts: Vec<_> = kinds.map(|kind| value_in_words(kind, &tool.new.total, old)).collect();
    let name = match benchmark.options.tools.len() {
        1 => String::new(),
        _ => format!("{FAINT}{}:{FAINT:#} ", tool.options.tool.name),
    };
    (!texts.is_empty()).then(|| format!("    {name}{}", texts.join(", ")))
}

/// Returns the line of a process that is a result of its own, and the limits that it exceeds.
fn process(process: &ProcessResult) -> Vec<String> {
    let columns = COLUMNS.iter().filter(|(kind, _)| process.new.get(*kind).is_some());
    let texts: Vec<_> = columns
        .map(|(kind, _)| value_in_words(*kind, &process.new, process.old.as_ref()))
        .collect();
    let name = one_line(&process.name);
    let mut lines = vec![format!("    {ID}[{name}]{ID:#} {}", texts.join(", "))];
    let exceeded = process.regressions.iter();
    lines
        .extend(exceeded.map(|regression| {
            format!("    {WORSE}limit exceeded{WORSE:#}: [{name}] {regression}")
        }));
    lines
}

/// Returns a value with its change: `Total bytes 1,024 (+3 %)`.
fn value_in_words(kind: MetricKind, new: &Metrics, old: Option<&Metrics>) -> String {
    let value = new.get(kind).map_or_else(String::new, numbers::value);
    let change = Change::between(new.get(kind), old.and_then(|old| old.get(kind)));
    let style = style_of(kind, change);
    match change.short_text() {
        text if text.is_empty() => format!("{} {value}", kind.label()),
        text => format!("{} {value} ({style}{text}{style:#})", kind.label()),
    }
}

/// Returns a change of a value: `Instructions -8.74 %`.
fn change_in_words(kind: MetricKind, old: &Metrics, new: Option<&Metrics>) -> String {
    let change = Change::between(new.and_then(|new| new.get(kind)), old.get(kind));
    let style = style_of(kind, change);
    format!("{} {style}{}{style:#}", kind.label(), change.short_text())
}

/// Returns the metrics in which two benchmarks are compared.
fn kinds(tool: &ToolResult<'_>, other: &Metrics) -> Vec<MetricKind> {
    let kinds = other.shown_lines(&tool.options.metrics).map(|(kind, _)| kind);
    kinds.filter(|kind| !ONLY_IN_BLOCKS.contains(kind)).collect()
}

/// Returns the spread of the instructions, or of the first metric, if the benchmark ran several times and it varied.
fn spread(tool: &ToolResult<'_>) -> Option<String> {
    let (kind, _) = tool.new.total.shown_lines(&tool.options.metrics).next()?;
    let spread = tool.spread(kind)?;
    let varies = |a: Value, b: Value| a.total_cmp(&b) != Ordering::Equal;
    varies(spread.minimum, spread.maximum).then(|| {
        let [minimum, maximum] = [spread.minimum, spread.maximum].map(numbers::value);
        format!("    {FAINT}{} from {minimum} to {maximum}{FAINT:#}", kind.label())
    })
}

/// Returns the group and the function, and the id with the arguments.
fn parts(benchmark: &Benchmark) -> (String, Option<(&str, String)>) {
    let path = benchmark.path();
    let path = path.strip_prefix(&format!("{}::", benchmark.file)).unwrap_or(&path).to_owned();
    (path, benchmark.id.as_deref().map(|id| (id, benchmark.description())))
}

fn plain_name(benchmark: &Benchmark) -> String {
    match parts(benchmark) {
        (path, Some((id, arguments))) => format!("{path} {id}:{arguments}"),
        (path, None) => path,
    }
}
