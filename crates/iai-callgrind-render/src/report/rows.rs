//! One line for each benchmark, for people: its name, instructions, estimated cycles and their changes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use anstyle::Style;
use iai_callgrind_base::console::one_line;
use iai_callgrind_base::console::style::{ARGUMENTS, FAINT, ID, NEW, PATH, WORSE};
use iai_callgrind_base::{ELLIPSIS, name_width, numbers, surplus, text_width};
use iai_callgrind_compare::{Change, Regression};
use iai_callgrind_plan::Compare;
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_results::{Benchmark, BenchmarkResult, ProcessResult, Spread, ToolResult};

use super::style::style_of;

/// Width of a value, of 999,999,999,999 at least.
const VALUE_WIDTH: usize = 15;

/// Width of a change: `+1,260 %`.
const CHANGE_WIDTH: usize = numbers::PERCENT_WIDTH;

/// The blanks before each column.
const GAP: usize = 2;

/// Maximum width of the names where the lines have no width.
const WIDEST_NAME: usize = 60;

/// Start of the name of a case below its function.
const CASE_INDENT: &str = "  ";

/// The metrics with a column of their own.
const COLUMNS: [(MetricKind, &str); 2] =
    [(MetricKind::Ir, "Instructions"), (MetricKind::EstimatedCycles, "Est. cycles")];

/// The metrics that are shown in blocks only, unless metrics are chosen.
const ONLY_IN_BLOCKS: [MetricKind; 4] =
    [MetricKind::L1hits, MetricKind::LLhits, MetricKind::RamHits, MetricKind::TotalRW];

/// Formats results as lines.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The width of the longest name.
    longest: usize,
    /// The functions with several cases, which are listed below the name of the function.
    functions: HashSet<String>,
    /// The function above the last line.
    above: Option<String>,
    /// There are old results to compare with.
    has_old: bool,
    /// The names of the columns are printed.
    is_headed: bool,
}

/// The columns of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    name_width: usize,
    /// Number of [`COLUMNS`] with values.
    number: usize,
    /// The values are on a line below the name.
    are_below: bool,
}

impl Columns {
    /// Returns the columns that fit next to names of this width: all with short names, the first one, or one below the names.
    fn new(longest: usize, column: usize, width: Option<usize>) -> Self {
        let longest = if width.is_none() { longest.min(WIDEST_NAME) } else { longest };
        for number in (1..=COLUMNS.len()).rev() {
            if let Some(name_width) = name_width(longest, number * column, width) {
                return Self { name_width, number, are_below: false };
            }
        }
        let name_width = width.map_or(longest, |width| longest.min(width));
        Self { name_width, number: 1, are_below: true }
    }
}

impl Rows {
    /// Returns the format of lines for these benchmarks.
    pub(super) fn new(benchmarks: &[Benchmark], has_old: bool) -> Self {
        let mut cases: BTreeMap<String, usize> = BTreeMap::new();
        for benchmark in benchmarks.iter().filter(|benchmark| benchmark.id.is_some()) {
            *cases.entry(function(benchmark)).or_default() += 1;
        }
        let several = cases.into_iter().filter(|(_, number)| *number > 1);
        let functions = several.map(|(function, _)| function).collect();
        let mut rows = Self { functions, has_old, ..Self::default() };
        let widths = benchmarks.iter().map(|benchmark| text_width(&plain(&rows.name(benchmark))));
        rows.longest = widths.max().unwrap_or(0);
        rows
    }

    /// Returns true if there are old results to compare with.
    pub(super) fn has_old(&self) -> bool {
        self.has_old
    }

    /// Returns the columns on a terminal of this width.
    fn columns(&self, width: Option<usize>) -> Columns {
        let change = if self.has_old { GAP + CHANGE_WIDTH } else { 0 };
        Columns::new(self.longest, GAP + VALUE_WIDTH + change, width)
    }

    /// Returns the names of the columns above the first line.
    pub(super) fn heading_above(&mut self, width: Option<usize>) -> Option<String> {
        let is_headed = std::mem::replace(&mut self.is_headed, true);
        (!is_headed).then(|| self.heading(width))
    }

    /// Returns the names of the columns.
    fn heading(&self, width: Option<usize>) -> String {
        let change =
            if self.has_old { format!("  {:>CHANGE_WIDTH$}", "change") } else { String::new() };
        let Columns { name_width, number, are_below } = self.columns(width);
        let columns = COLUMNS.iter().take(number);
        let columns = columns.map(|(_, label)| format!("  {label:>VALUE_WIDTH$}{change}"));
        let name_width = if are_below { 0 } else { name_width };
        format!("{FAINT}{:name_width$}{}{FAINT:#}", "", columns.collect::<String>())
    }

    /// Returns the line of a benchmark on a terminal of this width, lines below for values without
    /// a column, and a line above with the name of a function with several cases.
    pub(super) fn lines(
        &mut self,
        result: &BenchmarkResult<'_>,
        only_comparison: bool,
        width: Option<usize>,
    ) -> Vec<String> {
        let benchmark = result.benchmark;
        let layout = self.columns(width);
        let mut lines: Vec<_> = self.function_above(benchmark).into_iter().collect();
        lines.push(fitted(&self.name(benchmark), layout.name_width));
        let is_hidden = only_comparison && benchmark.compare != Compare::No;
        for (index, tool) in result.tools.iter().enumerate().filter(|_| !is_hidden) {
            let columns = if index == 0 { &COLUMNS[..layout.number] } else { &[] };
            let tolerance = benchmark.options.tolerance;
            let cells = columns.iter().map(|(kind, _)| self.cells(tool, *kind, tolerance));
            let cells = cells.collect::<String>();
            match lines.last_mut() {
                Some(line) if index == 0 && !layout.are_below => line.push_str(&cells),
                _ if index == 0 => lines.push(cells),
                _ => {}
            }
            lines.extend(others(tool, if index == 0 { &COLUMNS } else { &[] }, benchmark));
            lines.extend(varying(tool).map(|(kind, spread)| spread_line(kind, &spread)));
            lines.extend(tool.processes.iter().flat_map(process));
        }
        lines.extend(result.comparisons.iter().map(|(other, totals)| {
            let compared = result.compared_with(totals).flat_map(|(this, total)| {
                let kinds = kinds(this, total);
                kinds
                    .into_iter()
                    .map(move |kind| change_in_words(kind, &this.new.total, Some(total)))
            });
            let compared: Vec<_> = compared.collect();
            // The id is that of the line above
            let name = other.function();
            format!("    {PATH}{name}{PATH:#} {FAINT}instead:{FAINT:#} {}", compared.join(", "))
        }));
        for (index, tool) in result.tools.iter().enumerate() {
            let has_columns = index == 0 && !is_hidden;
            let columns = if has_columns { &COLUMNS[..layout.number] } else { &[] };
            lines.extend(
                tool.regressions.iter().map(|regression| limit_line(regression, tool, columns)),
            );
        }
        lines
    }

    /// Returns the name of a function that several cases follow, if it is not the one above.
    fn function_above(&mut self, benchmark: &Benchmark) -> Option<String> {
        let function = Some(function(benchmark)).filter(|name| self.functions.contains(name));
        let is_new = function != self.above;
        self.above = function;
        let name = self.above.as_ref().filter(|_| is_new)?;
        Some(format!("{PATH}{name}{PATH:#}"))
    }

    /// Returns the parts of a benchmark's name, without the file, and without a function that is
    /// printed above.
    fn name(&self, benchmark: &Benchmark) -> Vec<(Style, String)> {
        let function = function(benchmark);
        let Some((id, arguments)) = benchmark.case() else { return vec![(PATH, function)] };
        let case = match arguments {
            Some(arguments) => vec![(ID, format!("{id}:")), (ARGUMENTS, arguments)],
            None => vec![(ID, id.to_owned())],
        };
        let first = if self.functions.contains(&function) {
            (Style::new(), CASE_INDENT.to_owned())
        } else {
            (PATH, format!("{function} "))
        };
        [first].into_iter().chain(case).collect()
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
            _ => change.column_text(),
        };
        format!("{cell}  {style}{text:>CHANGE_WIDTH$}{style:#}")
    }
}

/// Returns a name in its colours that has this width: the middle of a longer one is left out.
fn fitted(parts: &[(Style, String)], width: usize) -> String {
    let plain = plain(parts);
    let left_out = surplus(&plain, width).unwrap_or(plain.len()..plain.len());
    let mut line = String::new();
    let mut end = 0;
    for (style, part) in parts {
        let start = end;
        end += part.len();
        let kept = |range: Range<usize>| {
            &plain[range.start.clamp(start, end)..range.end.clamp(start, end)]
        };
        line.push_str(&style.render().to_string());
        line.push_str(kept(0..left_out.start));
        if !left_out.is_empty() && (start..end).contains(&left_out.start) {
            line.push(ELLIPSIS);
        }
        line.push_str(kept(left_out.end..plain.len()));
        line.push_str(&style.render_reset().to_string());
    }
    let padding = width.saturating_sub(text_width(&line));
    line + &" ".repeat(padding)
}

fn plain(parts: &[(Style, String)]) -> String {
    parts.iter().map(|(_, text)| text.as_str()).collect()
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

/// Returns the line of a limit that a result under a tool exceeds. Values in one of these columns are not repeated.
fn limit_line(
    regression: &Regression,
    tool: &ToolResult<'_>,
    columns: &[(MetricKind, &str)],
) -> String {
    let kind = regression.kind;
    let has_column =
        columns.iter().any(|(column, _)| *column == kind) && tool.options.metrics.contains(&kind);
    let text = regression.without_new_value().filter(|_| has_column);
    let text = text.unwrap_or_else(|| regression.to_string());
    format!("    {WORSE}limit exceeded{WORSE:#}: {text}")
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

/// Returns the spread of the first shown metric that varied between several runs of the benchmark.
pub(super) fn varying(tool: &ToolResult<'_>) -> Option<(MetricKind, Spread)> {
    let kinds = tool.new.total.shown_lines(&tool.options.metrics).map(|(kind, _)| kind);
    let mut spreads = kinds.filter_map(|kind| Some((kind, tool.spread(kind)?)));
    let varies = |spread: &Spread| spread.minimum.total_cmp(&spread.maximum) != Ordering::Equal;
    spreads.find(|(_, spread)| varies(spread))
}

fn spread_line(kind: MetricKind, spread: &Spread) -> String {
    let [minimum, maximum] = [spread.minimum, spread.maximum].map(numbers::value);
    let [mean, deviation] = [spread.mean, spread.deviation].map(numbers::mean);
    format!(
        "    {FAINT}{} from {minimum} to {maximum}, mean {mean} ± {deviation}{FAINT:#}",
        kind.label()
    )
}

/// Returns the group and the function of a benchmark.
fn function(benchmark: &Benchmark) -> String {
    let path = benchmark.path();
    path.strip_prefix(&format!("{}::", benchmark.file)).unwrap_or(&path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_lines(width: Option<usize>, longest: usize) -> Columns {
        Columns::new(longest, GAP + VALUE_WIDTH + GAP + CHANGE_WIDTH, width)
    }

    #[test]
    fn names_then_columns_give_way() {
        let columns = |width, longest| {
            let Columns { name_width, number, are_below } = plain_lines(width, longest);
            (name_width, number, are_below)
        };
        assert_eq!(columns(None, 90), (60, 2, false), "no terminal");
        assert_eq!(columns(Some(140), 50), (50, 2, false));
        assert_eq!(columns(Some(100), 50), (44, 2, false), "shortened names");
        assert_eq!(columns(Some(80), 24), (24, 2, false));
        assert_eq!(columns(Some(80), 50), (50, 1, false), "without cycles");
        assert_eq!(columns(Some(80), 70), (52, 1, false));
        assert_eq!(columns(Some(50), 70), (50, 1, true), "values below");
    }

    #[test]
    fn a_name_keeps_its_colours() {
        let name = [(PATH, "group::function ".to_owned()), (ID, "id:".to_owned())];
        assert_eq!(fitted(&name, 21), format!("{PATH}group::function {PATH:#}{ID}id:{ID:#}  "));
        let short = fitted(&name, 12);
        assert_eq!(short, format!("{PATH}gro…tion {PATH:#}{ID}id:{ID:#}"));
        for width in 1..19 {
            assert_eq!(text_width(&fitted(&name, width)), width);
        }
    }
}
