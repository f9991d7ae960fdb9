//! Tables of stored results.

use std::io::{self, Write};
use std::path::PathBuf;

use iai_callgrind_plan::metric::{MetricKind, Value};

use crate::compare::Change;
use crate::console;
use crate::error::{Error, Result};
use crate::note::counted;
use crate::report::{BETTER, FAINT, NEW, PATH, WORSE};

/// Number of spaces between columns.
const GAP: usize = 2;

/// A benchmark in a list.
pub(super) struct ListRow {
    pub(super) origin: String,
    pub(super) name: String,
    pub(super) slots: Vec<String>,
}

/// A table of one metric under one tool.
pub(crate) struct Comparison {
    pub(crate) tool: &'static str,
    pub(crate) metric: MetricKind,
    /// Names of the columns.
    pub(crate) bases: Vec<String>,
    pub(crate) rows: Vec<ComparisonRow>,
}

/// A benchmark in a comparison.
pub(crate) struct ComparisonRow {
    /// Property by which the rows are grouped, if they are.
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    /// A value for each column with its change relative to the first.
    pub(crate) cells: Vec<(Option<Value>, Change)>,
}

/// Prints the benchmarks with the names of their results.
pub(super) fn print_list(rows: &[ListRow]) -> Result<()> {
    print(|output| write_list(rows, output))
}

/// Writes to the standard output.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut output = console::stdout();
    Error::of_output(write(&mut output).and_then(|()| output.flush()))
}

fn write_list(rows: &[ListRow], output: &mut dyn Write) -> io::Result<()> {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0) + GAP;
    let mut previous = None;
    for ListRow { origin, name, slots } in rows {
        if previous.replace(origin) != Some(origin) {
            writeln!(output, "{FAINT}{origin}{FAINT:#}")?;
        }
        writeln!(
            output,
            "  {PATH}{name}{PATH:#}{:1$}{2}",
            "",
            width - name.chars().count(),
            slots.join(" ")
        )?;
    }
    Ok(())
}

/// Prints how many results of a baseline were removed.
pub(super) fn print_removed(baseline: &str, benchmarks: usize) -> Result<()> {
    let benchmarks = counted(benchmarks, "benchmark");
    print(|output| writeln!(output, "removed the baseline `{baseline}` of {benchmarks}"))
}

/// Prints the paths of files, one on each line.
pub(super) fn print_paths(paths: &[PathBuf]) -> Result<()> {
    print(|output| paths.iter().try_for_each(|path| writeln!(output, "{}", path.display())))
}

/// Prints a table of two or more results of each benchmark.
pub(crate) fn print_comparison(comparison: &Comparison) -> Result<()> {
    print(|output| write_comparison(comparison, output))
}

fn write_comparison(comparison: &Comparison, output: &mut dyn Write) -> io::Result<()> {
    let Comparison { tool, metric, bases, rows } = comparison;
    let title = format!("{} ({tool} {metric})", metric.label());
    let names = rows.iter().map(|row| row.name.chars().count() + GAP);
    let first = names.chain([title.chars().count()]).max().unwrap_or(0);
    let widths: Vec<_> = (0..bases.len()).map(|column| width(comparison, column)).collect();

    write!(output, "{NEW}{title:<first$}{NEW:#}")?;
    for (base, width) in bases.iter().zip(&widths) {
        write!(output, "  {base:>width$}")?;
    }
    writeln!(output)?;
    let mut key = None;
    for row in rows {
        if row.key.is_some() && key != row.key.as_ref() {
            key = row.key.as_ref();
            writeln!(output, "{FAINT}{}{FAINT:#}", key.map_or("", |key| key.as_str()))?;
        }
        let name = &row.name;
        write!(output, "  {PATH}{name}{PATH:#}{:1$}", "", first - GAP - name.chars().count())?;
        for (column, width) in widths.iter().enumerate() {
            let text = cell(row, column);
            let style = match row.cells[column].1.direction() {
                Some(std::cmp::Ordering::Greater) => WORSE,
                Some(std::cmp::Ordering::Less) => BETTER,
                _ => anstyle::Style::new(),
            };
            write!(output, "  {style}{text:>width$}{style:#}")?;
        }
        writeln!(output)?;
    }
    Ok(())
}

fn width(comparison: &Comparison, column: usize) -> usize {
    let cells = comparison.rows.iter().map(|row| cell(row, column).chars().count());
    cells.chain([comparison.bases[column].chars().count()]).max().unwrap_or(0)
}

/// Formats a cell as `2804 (+61.8003%)`, and the first column without a change.
fn cell(row: &ComparisonRow, column: usize) -> String {
    let (value, change) = row.cells[column];
    let Some(value) = value else { return "N/A".to_owned() };
    if column == 0 || change.direction().is_none() {
        return value.to_string();
    }
    format!("{value} ({})", change.percentage_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, name: &str, values: [Option<u64>; 3]) -> ComparisonRow {
        let values = values.map(|value| value.map(Value::Count));
        let cells = values.map(|value| (value, Change::between(value, values[0]))).to_vec();
        ComparisonRow { key: Some(key.to_owned()), name: name.to_owned(), cells }
    }

    #[test]
    fn columns_are_aligned_and_compared_with_the_first() {
        let comparison = Comparison {
            tool: "callgrind",
            metric: MetricKind::Ir,
            bases: ["main", "a", "b"].map(ToOwned::to_owned).to_vec(),
            rows: vec![
                row("short", "file::group::one::short", [Some(1733), Some(2804), None]),
                row("short", "file::group::two::short", [Some(7), Some(7), Some(6)]),
                row("long", "file::group::one::long", [None, Some(1), None]),
            ],
        };
        let mut output = Vec::new();
        write_comparison(&comparison, &mut anstream::StripStream::new(&mut output)).unwrap();
        let expected = "\
Instructions (callgrind Ir)  main                 a              b
short
  file::group::one::short    1733  2804 (+61.8003%)            N/A
  file::group::two::short       7     7 (No change)  6 (-14.2857%)
long
  file::group::one::long      N/A                 1            N/A
";
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }
}
