//! Lists and tables of stored results, which subcommands print.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use iai_callgrind_base::console::stdout_width;
use iai_callgrind_base::console::style::{BETTER, FAINT, NEW, PATH, WORSE};
use iai_callgrind_base::note::counted;
use iai_callgrind_base::{name_above, name_width, numbers, shortened, text_width};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::{MetricKind, Value};
use iai_callgrind_timing::text::{change, duration};

use super::print::{print, print_text};
use crate::error::Result;

/// Text of a missing value.
const MISSING: &str = "N/A";

/// Number of spaces between columns.
const GAP: usize = 2;

/// A benchmark in a list.
pub struct ListRow {
    /// Package and benchmark file.
    pub origin: String,
    /// Name of the benchmark.
    pub name: String,
    /// Names of its results.
    pub slots: Vec<String>,
}

/// A table of one metric.
pub struct Comparison {
    /// Title of the column of names.
    pub title: String,
    /// Names of the columns.
    pub bases: Vec<String>,
    /// Benchmarks.
    pub rows: Vec<ComparisonRow>,
}

/// A benchmark in a comparison.
pub struct ComparisonRow {
    /// Property by which the rows are grouped, if they are.
    pub key: Option<String>,
    /// Name of the benchmark.
    pub name: String,
    /// A cell for each column.
    pub cells: Vec<Cell>,
}

/// A value in a comparison.
pub struct Cell {
    text: String,
    /// Direction of the change, which decides whether it is better or worse.
    direction: Option<Ordering>,
}

impl ComparisonRow {
    /// Returns the row of a benchmark with these values. The first one is compared with the others.
    pub fn of_values(key: Option<String>, name: String, values: &[Option<Value>]) -> Self {
        let cell = |(column, value): (usize, &Option<Value>)| {
            let change = Change::between(*value, values[0]);
            Cell { text: cell_text(column, *value, change), direction: change.direction() }
        };
        Self { key, name, cells: values.iter().enumerate().map(cell).collect() }
    }

    /// Returns the row of a benchmark with these times in nanoseconds. They are from different
    /// runs, so none is called better or worse.
    pub fn of_times(key: Option<String>, name: String, times: &[Option<f64>]) -> Self {
        let text = |(column, time): (usize, &Option<f64>)| match (*time, times[0]) {
            (None, _) => MISSING.to_owned(),
            (Some(time), Some(first)) if column > 0 => {
                format!("{} ({})", duration(time), change(time / first, None))
            }
            (Some(time), _) => duration(time),
        };
        let cell = |it| Cell { text: text(it), direction: None };
        Self { key, name, cells: times.iter().enumerate().map(cell).collect() }
    }
}

/// Prints the benchmarks with the names of their results.
pub fn print_list(rows: &[ListRow]) -> Result<()> {
    print_text(|output| write_list(rows, stdout_width(), output))
}

fn write_list(rows: &[ListRow], width: Option<usize>, output: &mut dyn Write) -> io::Result<()> {
    let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
    let longest = widest(&mut rows.iter().map(|row| text_width(&row.name)));
    let slots_width = widest(&mut rows.iter().map(|row| text_width(&row.slots.join(" "))));
    let width_of_names = name_width(longest, 2 * GAP + slots_width, width);
    let mut previous = None;
    for ListRow { origin, name, slots } in rows {
        if previous.replace(origin) != Some(origin) {
            writeln!(output, "{FAINT}{origin}{FAINT:#}")?;
        }
        let slots = slots.join(" ");
        match width_of_names {
            Some(width) => writeln!(output, "  {}  {slots}", padded(name, width))?,
            None => {
                writeln!(output, "  {PATH}{}{PATH:#}\n    {slots}", name_above(name, GAP, width))?;
            }
        }
    }
    Ok(())
}

/// Returns a name of exactly this width in its colour. The middle of a longer one is left out.
fn padded(name: &str, width: usize) -> String {
    let name = shortened(name, width);
    let padding = width - text_width(&name);
    format!("{PATH}{name}{PATH:#}{:padding$}", "")
}

/// Prints the names of baselines with the number of their benchmarks.
pub fn print_baselines(baselines: &[(String, usize)]) -> Result<()> {
    let widest = baselines.iter().map(|(name, _)| text_width(name)).max().unwrap_or(0);
    print_text(|output| {
        if baselines.is_empty() {
            return writeln!(output, "no baselines: `--save-baseline=NAME` saves one");
        }
        for (name, benchmarks) in baselines {
            writeln!(output, "{}  {}", padded(name, widest), counted(*benchmarks, "benchmark"))?;
        }
        Ok(())
    })
}

/// Prints how many results of a baseline were removed.
pub fn print_removed(baseline: &str, benchmarks: usize) -> Result<()> {
    let benchmarks = counted(benchmarks, "benchmark");
    print(|output| writeln!(output, "removed the baseline `{baseline}` of {benchmarks}"))
}

/// Prints a line.
pub fn print_line(line: &str) -> Result<()> {
    print(|output| writeln!(output, "{line}"))
}

/// Prints how many results of a baseline were exported.
pub fn print_exported(baseline: &str, benchmarks: usize, file: &Path) -> Result<()> {
    let (benchmarks, file) = (counted(benchmarks, "benchmark"), file.display());
    print(|output| writeln!(output, "exported the baseline `{baseline}` of {benchmarks} to {file}"))
}

/// Prints the imported baselines with the numbers of their benchmarks.
pub fn print_imported(baselines: &BTreeMap<String, usize>) -> Result<()> {
    print(|output| {
        baselines.iter().try_for_each(|(name, number)| {
            let benchmarks = counted(*number, "benchmark");
            writeln!(output, "imported the baseline `{name}` of {benchmarks}")
        })
    })
}

/// Prints the paths of files, one on each line.
pub fn print_paths(paths: &[PathBuf]) -> Result<()> {
    print(|output| paths.iter().try_for_each(|path| writeln!(output, "{}", path.display())))
}

/// Returns the title of a table of this metric.
pub fn metric_title(tool: &str, metric: MetricKind) -> String {
    format!("{} ({tool} {metric})", metric.label())
}

/// Prints a table of two or more results of each benchmark.
pub fn print_comparison(comparison: &Comparison) -> Result<()> {
    print_text(|output| write_comparison(comparison, stdout_width(), output))
}

fn write_comparison(
    comparison: &Comparison,
    terminal: Option<usize>,
    output: &mut dyn Write,
) -> io::Result<()> {
    let Comparison { title, bases, rows } = comparison;
    let names = rows.iter().map(|row| text_width(&row.name) + GAP);
    let longest = names.chain([text_width(title)]).max().unwrap_or(0);
    let widths: Vec<_> = (0..bases.len()).map(|column| width(comparison, column)).collect();
    let columns = widths.iter().map(|width| GAP + width).sum();
    let first = name_width(longest, columns, terminal);

    write!(output, "{NEW}{title:<0$}{NEW:#}", first.unwrap_or(0))?;
    for (base, width) in bases.iter().zip(&widths).filter(|_| first.is_some()) {
        write!(output, "  {base:>width$}")?;
    }
    writeln!(output)?;
    let mut key = None;
    for row in rows {
        if row.key.is_some() && key != row.key.as_ref() {
            key = row.key.as_ref();
            writeln!(output, "{FAINT}{}{FAINT:#}", key.map_or("", |key| key.as_str()))?;
        }
        match first {
            Some(first) => write!(output, "  {}", padded(&row.name, first - GAP))?,
            None => write!(output, "  {PATH}{}{PATH:#}", name_above(&row.name, GAP, terminal))?,
        }
        for ((Cell { text, direction }, width), base) in row.cells.iter().zip(&widths).zip(bases) {
            let style = match direction {
                Some(Ordering::Greater) => WORSE,
                Some(Ordering::Less) => BETTER,
                _ => anstyle::Style::new(),
            };
            match first {
                Some(_) => write!(output, "  {style}{text:>width$}{style:#}")?,
                None => write!(output, "\n    {base}: {style}{text}{style:#}")?,
            }
        }
        writeln!(output)?;
    }
    Ok(())
}

fn width(comparison: &Comparison, column: usize) -> usize {
    let cells = comparison.rows.iter().map(|row| text_width(&row.cells[column].text));
    cells.chain([text_width(&comparison.bases[column])]).max().unwrap_or(0)
}

/// Formats a cell as `2,804 (+61.8 %)`, and the first column without a change.
fn cell_text(column: usize, value: Option<Value>, change: Change) -> String {
    let Some(value) = value else { return MISSING.to_owned() };
    if column == 0 || change.direction().is_none() {
        return numbers::value(value);
    }
    format!("{} ({})", numbers::value(value), change.column_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, name: &str, values: [Option<u64>; 3]) -> ComparisonRow {
        let values = values.map(|value| value.map(Value::Count));
        ComparisonRow::of_values(Some(key.to_owned()), name.to_owned(), &values)
    }

    #[test]
    fn columns_are_aligned_and_compared_with_the_first() {
        let comparison = Comparison {
            title: metric_title("callgrind", MetricKind::Ir),
            bases: ["main", "a", "b"].map(ToOwned::to_owned).to_vec(),
            rows: vec![
                row("short", "file::group::one::short", [Some(1733), Some(2804), None]),
                row("short", "file::group::two::short", [Some(7), Some(7), Some(6)]),
                row("long", "file::group::one::long", [None, Some(1), None]),
            ],
        };
        let text = |width: Option<usize>| {
            let mut output = Vec::new();
            write_comparison(&comparison, width, &mut anstream::StripStream::new(&mut output))
                .unwrap();
            String::from_utf8(output).unwrap()
        };
        let expected = "\
Instructions (callgrind Ir)   main                a            b
short
  file::group::one::short    1,733  2,804 (+61.8 %)          N/A
  file::group::two::short        7    7 (no change)  6 (-14.3 %)
long
  file::group::one::long       N/A                1          N/A
";
        assert_eq!(text(None), expected);
        assert_eq!(text(Some(80)), expected);
        let below = text(Some(60));
        let expected = "\
Instructions (callgrind Ir)
short
  file::group::one::short
    main: 1,733
    a: 2,804 (+61.8 %)
    b: N/A
";
        assert!(below.starts_with(expected), "{below}");
        assert!(text(Some(20)).contains("\n  file:…::one::short\n"), "{}", text(Some(20)));
    }

    #[test]
    fn a_list_fits_the_terminal() {
        let row = |name: &str| ListRow {
            origin: "crate".to_owned(),
            name: name.to_owned(),
            slots: vec!["latest".to_owned(), "main".to_owned()],
        };
        let rows = [row("file::group::parse_all_numbers::many"), row("file::group::b")];
        let text = |width: Option<usize>| {
            let mut output = Vec::new();
            write_list(&rows, width, &mut anstream::StripStream::new(&mut output)).unwrap();
            String::from_utf8(output).unwrap()
        };
        let name = "file::group::parse_all_numbers::many";
        let wide = format!(
            "crate\n  {name}  latest main\n  file::group::b{}  latest main\n",
            " ".repeat(22)
        );
        assert_eq!(text(None), wide);
        assert_eq!(text(Some(51)), wide);
        assert!(text(Some(50)).contains("\n  file::group…parse_all_numbers::many  latest main\n"));
        assert!(text(Some(40)).contains(&format!("\n  {name}\n    latest main\n")));
        let narrow = "\n  file::…numbers::many\n    latest main\n";
        assert!(text(Some(22)).contains(narrow), "{}", text(Some(22)));
    }
}
