//! Tables of stored results.

use std::io::{self, Write};
use std::path::PathBuf;

use super::compare::{Comparison, Row};
use super::list::Listed;
use crate::report::{BETTER, FAINT, NEW, PATH, WORSE};

/// The space between columns.
const GAP: usize = 2;

/// Prints which benchmarks there are, and what is stored of each.
pub(crate) fn print_list(listed: &[Listed]) {
    // A closed pipe is the reader's business
    let _ = list(listed, &mut anstream::stdout().lock());
}

fn list(listed: &[Listed], output: &mut impl Write) -> io::Result<()> {
    let width = listed.iter().map(|it| it.name.chars().count()).max().unwrap_or(0) + GAP;
    let mut origin = "";
    for Listed { origin: its, name, slots } in listed {
        if origin != its {
            origin = its;
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

/// Prints the paths of files, one on a line.
pub(crate) fn print_paths(paths: &[PathBuf]) {
    let mut output = anstream::stdout().lock();
    let _ = paths.iter().try_for_each(|path| writeln!(output, "{}", path.display()));
}

/// Prints a table of two or more results of each benchmark.
pub(crate) fn print_comparison(comparison: &Comparison) {
    let _ = compare(comparison, &mut anstream::stdout().lock());
}

fn compare(comparison: &Comparison, output: &mut impl Write) -> io::Result<()> {
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

/// `2804 (+61.8003%)`; the first column is what the others are compared with.
fn cell(row: &Row, column: usize) -> String {
    let (value, change) = row.cells[column];
    let Some(value) = value else { return "N/A".to_owned() };
    if column == 0 || change.direction().is_none() {
        return value.to_string();
    }
    format!("{value} ({})", change.percentage_text())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::{EventKind, Value};

    use super::*;
    use crate::compare::Change;

    fn row(key: &str, name: &str, values: [Option<u64>; 3]) -> Row {
        let values = values.map(|value| value.map(Value::Count));
        let cells = values.map(|value| (value, Change::between(value, values[0]))).to_vec();
        Row { key: Some(key.to_owned()), name: name.to_owned(), cells }
    }

    #[test]
    fn columns_are_aligned_and_compared_with_the_first() {
        let comparison = Comparison {
            tool: "callgrind",
            metric: EventKind::Ir,
            bases: ["main", "a", "b"].map(ToOwned::to_owned).to_vec(),
            rows: vec![
                row("short", "file::group::one::short", [Some(1733), Some(2804), None]),
                row("short", "file::group::two::short", [Some(7), Some(7), Some(6)]),
                row("long", "file::group::one::long", [None, Some(1), None]),
            ],
        };
        let mut output = Vec::new();
        compare(&comparison, &mut anstream::StripStream::new(&mut output)).unwrap();
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
