//! Source lines with their costs.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{self, Write};

use anstyle::Style;
use clap::ValueEnum;
use iai_callgrind_base::console::stdout_width;
use iai_callgrind_base::console::style::{BETTER, FAINT, NEW, PATH, WORSE};
use iai_callgrind_base::numbers::{self, grouped};
use iai_callgrind_compare::Change;
use iai_callgrind_explain::{AnnotatedFile, AnnotatedLine, Annotation, LineCost};
use iai_callgrind_plan::metric::Value;

use super::print::print_text;
use crate::error::Result;

/// The order of source lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(missing_docs, reason = "the help would show it")]
pub enum LineOrder {
    #[value(name = "self")]
    SelfCost,
    Inclusive,
    Change,
}

/// Maximum number of characters of a line's text.
const LONGEST_TEXT: usize = 120;

/// The number of characters that it has on a narrow terminal.
const SHORTEST_TEXT: usize = 20;

/// A benchmark with its lines.
pub struct AnnotatedBenchmark {
    /// The name of the benchmark.
    pub name: String,
    /// The lines, if there are any.
    pub lines: Annotated,
}

/// The lines of a result, or the reason why there are none.
pub enum Annotated {
    /// There are none.
    Nothing {
        /// The reason.
        reason: String,
        /// The benchmark can be compiled with debug information.
        has_remedy: bool,
    },
    /// The lines of a result.
    Lines {
        /// The event that they are sorted by.
        event: String,
        /// The name of the old result, if the lines are compared.
        old: Option<String>,
        /// The reason why the old result can't be used.
        not_compared: Option<String>,
        /// The costs of the lines.
        annotation: Annotation,
        /// The source of each file.
        sources: Vec<AnnotatedSource>,
    },
}

/// A source file as it is now.
pub enum AnnotatedSource {
    /// The text of the file.
    Text(String),
    /// There is no such file any more.
    Missing,
}

/// Prints the lines of benchmarks, of each at most this number.
pub fn print_annotations(
    benchmarks: &[AnnotatedBenchmark],
    limit: usize,
    order: LineOrder,
) -> Result<()> {
    print_text(|output| {
        for (number, benchmark) in benchmarks.iter().enumerate() {
            if number > 0 {
                writeln!(output)?;
            }
            write_benchmark(benchmark, limit, order, stdout_width(), output)?;
        }
        Ok(())
    })
}

fn write_benchmark(
    AnnotatedBenchmark { name, lines }: &AnnotatedBenchmark,
    limit: usize,
    order: LineOrder,
    width: Option<usize>,
    output: &mut dyn Write,
) -> io::Result<()> {
    writeln!(output, "{PATH}{name}{PATH:#}")?;
    let (event, old, not_compared, annotation, sources) = match lines {
        Annotated::Nothing { reason, has_remedy } => {
            writeln!(output, "  no lines: {reason}")?;
            if *has_remedy {
                writeln!(
                    output,
                    "  help: set `debug = 1` in `[profile.bench]`, in C++ compile with `-g`, and run the benchmark again"
                )?;
            }
            return Ok(());
        }
        Annotated::Lines { event, old, not_compared, annotation, sources } => {
            (event, old.as_deref(), not_compared, annotation, sources)
        }
    };
    writeln!(output, "  {}", headline(event, old, annotation.total))?;
    if let Some(reason) = not_compared {
        writeln!(output, "  no comparison: {reason}")?;
    }
    let shown = select(annotation, limit, order);
    let columns = Columns::new(annotation, old.is_some() && has_change(annotation), &shown);
    let text_width = columns.text_width(width);
    for ShownFile { file, source, lines } in shown_files(annotation, sources, &shown, order) {
        let (texts, problem) = texts(file, source);
        writeln!(output)?;
        writeln!(output, "  {NEW}{}{NEW:#}{problem}", file.path)?;
        writeln!(output, "  {FAINT}{}{FAINT:#}", columns.header())?;
        for index in lines {
            let line = &file.lines[index];
            let (number, text) = match &texts {
                Some(texts) => texts[index].unwrap_or((line.number, "(removed line)")),
                None if line.is_gone => (line.number, "(line of the old source)"),
                None => (line.number, ""),
            };
            columns.write(line, number, &shortened(text, text_width), output)?;
        }
    }
    writeln!(output)?;
    writeln!(output, "  {}", closing(annotation, event, &shown))
}

/// Returns true if the total or the cost of a line changed. Without a change there is more room for the texts of the lines.
fn has_change(annotation: &Annotation) -> bool {
    let lines = annotation.files.iter().flat_map(|file| &file.lines);
    let costs = lines.flat_map(|line| [line.self_cost, line.inclusive]);
    [annotation.total].into_iter().chain(costs).any(|cost| cost.new != cost.old)
}

/// Returns the total with its change: `15,643 instructions, +5,710 (+57.5 %) compared with @old`.
fn headline(event: &str, old: Option<&str>, total: LineCost) -> String {
    let (count, unit) = (grouped(total.new), unit(event));
    let Some(old) = old else { return format!("{count} {unit}") };
    let change = Change::between(Some(Value::Count(total.new)), Some(Value::Count(total.old)));
    let difference = match total.change() {
        0 => "no change".to_owned(),
        _ => format!("{} ({})", numbers::difference(total.old, total.new), change.short_text()),
    };
    format!("{count} {unit}, {difference} compared with {old}")
}

fn unit(event: &str) -> &str {
    if event == "Ir" { "instructions" } else { event }
}

/// A line to show, by the indices of its file and in the file.
struct ShownLine<'a> {
    file: usize,
    index: usize,
    line: &'a AnnotatedLine,
}

/// A file to show with the indices of its lines.
struct ShownFile<'a> {
    file: &'a AnnotatedFile,
    source: &'a AnnotatedSource,
    lines: Vec<usize>,
}

/// Returns the first lines in this order.
fn select(annotation: &Annotation, limit: usize, order: LineOrder) -> Vec<ShownLine<'_>> {
    let mut lines = Vec::new();
    for (file, annotated) in annotation.files.iter().enumerate() {
        let of_file = annotated.lines.iter().enumerate();
        lines.extend(of_file.map(|(index, line)| ShownLine { file, index, line }));
    }
    let higher = |cost: LineCost| (cost.new.max(cost.old), cost.new);
    lines.sort_by_key(|ShownLine { line, .. }| {
        Reverse(match order {
            LineOrder::SelfCost => (higher(line.self_cost), higher(line.inclusive)),
            LineOrder::Inclusive => (higher(line.inclusive), higher(line.self_cost)),
            LineOrder::Change => {
                let size = |cost: LineCost| cost.new.abs_diff(cost.old);
                ((size(line.self_cost), size(line.inclusive)), higher(line.self_cost))
            }
        })
    });
    lines.truncate(limit);
    lines
}

/// Returns the files with lines to show. In the order of self costs, the files with the highest sums come first;
/// otherwise, the files with the first lines.
fn shown_files<'a>(
    annotation: &'a Annotation,
    sources: &'a [AnnotatedSource],
    shown: &[ShownLine<'_>],
    order: LineOrder,
) -> Vec<ShownFile<'a>> {
    let mut numbers: Vec<usize> = shown.iter().map(|line| line.file).collect();
    if matches!(order, LineOrder::SelfCost) {
        numbers.sort_unstable();
    }
    let mut seen = BTreeSet::new();
    numbers.retain(|number| seen.insert(*number));
    let files = numbers.into_iter().map(|number| {
        let lines = shown.iter().filter(|line| line.file == number);
        let (file, source) = (&annotation.files[number], &sources[number]);
        ShownFile { file, source, lines: lines.map(|line| line.index).collect() }
    });
    files.collect()
}

/// The number and the text of each line of a file; `None` for a line that is not in the source.
type Texts<'a> = Vec<Option<(u32, &'a str)>>;

/// Returns the texts of the lines of a file, and the reason behind its path if there are none.
fn texts<'a>(
    file: &AnnotatedFile,
    source: &'a AnnotatedSource,
) -> (Option<Texts<'a>>, &'static str) {
    match source {
        AnnotatedSource::Missing => (None, ": the source is gone, only line numbers are shown"),
        AnnotatedSource::Text(text) => match file.find_lines(text) {
            Some(texts) => (Some(texts), ""),
            None => (None, ": the source changed since the run, only line numbers are shown"),
        },
    }
}

/// Returns a line's text without indentation and without what a terminal would execute, cut at this number of characters.
fn shortened(text: &str, longest: usize) -> String {
    let readable = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.trim().chars().map(readable).collect();
    if text.chars().count() <= longest {
        return text;
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}

/// The columns of a table of lines with their widths.
struct Columns {
    total: LineCost,
    cost: usize,
    change: usize,
    number: usize,
    is_compared: bool,
    has_inclusive: bool,
}

impl Columns {
    fn new(annotation: &Annotation, is_compared: bool, shown: &[ShownLine<'_>]) -> Self {
        let lines = || shown.iter().map(|shown| shown.line);
        let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let costs = || lines().flat_map(|line| [line.self_cost, line.inclusive]);
        let cost = widest(&mut costs().map(|cost| grouped(cost.new).len()));
        let change = widest(&mut costs().map(|cost| change(cost).len()));
        Self {
            total: annotation.total,
            cost,
            change: change.max("Change".len()),
            number: widest(&mut lines().map(|line| line.number.to_string().len()))
                .max("Line".len()),
            is_compared,
            has_inclusive: annotation.has_inclusive,
        }
    }

    /// Width of a share: `100.0 %`.
    const SHARE: usize = 7;

    /// Returns the number of characters of a line's text behind the columns.
    fn text_width(&self, width: Option<usize>) -> usize {
        let Some(width) = width else { return LONGEST_TEXT };
        let columns = 2 + self.header().chars().count() + 2;
        width.saturating_sub(columns).clamp(SHORTEST_TEXT, LONGEST_TEXT)
    }

    fn header(&self) -> String {
        let width = self.cost + 2 + Self::SHARE;
        let change = if self.is_compared {
            format!("  {:>1$}", "Change", self.change)
        } else {
            String::new()
        };
        let title = |title: &str| format!("{title:>width$}{change}  ");
        let inclusive = if self.has_inclusive { title("Inclusive") } else { String::new() };
        format!("{}{inclusive}{:>2$}", title("Self"), "Line", self.number)
    }

    fn write(
        &self,
        line: &AnnotatedLine,
        number: u32,
        text: &str,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        write!(output, "  ")?;
        self.write_cost(line.self_cost, output)?;
        if self.has_inclusive {
            write!(output, "  ")?;
            self.write_cost(line.inclusive, output)?;
        }
        let text = if text.is_empty() { String::new() } else { format!("  {text}") };
        writeln!(output, "  {number:>0$}{text}", self.number)
    }

    fn write_cost(&self, cost: LineCost, output: &mut dyn Write) -> io::Result<()> {
        let share = share(cost.new, self.total.new);
        write!(output, "{:>1$}  {share:>2$}", grouped(cost.new), self.cost, Self::SHARE)?;
        if self.is_compared {
            let style = match cost.new.cmp(&cost.old) {
                std::cmp::Ordering::Greater => WORSE,
                std::cmp::Ordering::Less => BETTER,
                std::cmp::Ordering::Equal => Style::new(),
            };
            write!(output, "  {style}{:>1$}{style:#}", change(cost), self.change)?;
        }
        Ok(())
    }
}

fn change(cost: LineCost) -> String {
    if cost.change() == 0 { "0".to_owned() } else { numbers::difference(cost.old, cost.new) }
}

/// Formats a share: `0.1 %`.
fn share(part: u64, total: u64) -> String {
    let percent = if total == 0 { 0.0 } else { part as f64 / total as f64 * 100.0 };
    format!("{percent:.1} %")
}

/// Returns the share of the shown lines, and of the code that belongs to no line.
fn closing(annotation: &Annotation, event: &str, shown: &[ShownLine<'_>]) -> String {
    let all: usize = annotation.files.iter().map(|file| file.lines.len()).sum();
    let (number, unit, total) = (shown.len(), unit(event), annotation.total.new);
    let cost = shown.iter().map(|shown| shown.line.self_cost.new).sum();
    let no_line = annotation.no_line.new;
    let rest = if annotation.has_inclusive { ", only to inclusive costs" } else { "" };
    format!(
        "{number} of {all} lines have {} of the {unit} as self cost; {} ({}) belong to no line of \
         yours{rest}",
        share(cost, total),
        share(no_line, total),
        grouped(no_line)
    )
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use fnv::FnvHasher;
    use iai_callgrind_explain::Table;
    use serde_json::json;

    use super::*;

    const SOURCE: &str = "fn f() {\n    g();\n\n\tlong(\x1b);\n}\n";

    /// Returns a table with these costs of lines, a function of a library and its call from line 2.
    fn table(costs: &[(u32, u64)], library: u64) -> Table {
        let mut hasher = FnvHasher::default();
        hasher.write(SOURCE.as_bytes());
        let numbers = || 0..costs.len();
        let rows = numbers().map(|index| json!([0, index + 1, 0, [costs[index].1]]));
        let sum: u64 = costs.iter().map(|(_, cost)| cost).sum();
        let table = json!({
            "version": 1,
            "events": ["Ir"],
            "totals": [sum + library],
            "has_debug_info": true,
            "environment": {},
            "texts": ["f", "malloc", "src/lib.rs", "src/other.rs"],
            "functions": [[0, 1, 1], [1, 1, 1]],
            "frames": costs.iter().map(|(line, _)| json!([0, if *line > 5 { 3 } else { 2 }, line, 0, 0]))
                .collect::<Vec<_>>(),
            "stacks": std::iter::once(json!([])).chain(numbers().map(|index| json!([index])))
                .collect::<Vec<_>>(),
            "rows": rows.chain([json!([1, 0, 1, [library]])]).collect::<Vec<_>>(),
            "edges": [[0, 1, 1, 3, library]],
            "files": { "src/lib.rs": { "hash": hasher.finish(), "code": 0, "texts": [], "pairs": [] } },
        });
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(table.to_string().as_bytes()).unwrap();
        Table::read(&encoder.finish().unwrap()).unwrap()
    }

    fn text(lines: Annotated, limit: usize, order: LineOrder) -> String {
        let benchmark = AnnotatedBenchmark { name: "file::group::f".to_owned(), lines };
        let mut output = Vec::new();
        let mut stream = anstream::StripStream::new(&mut output);
        write_benchmark(&benchmark, limit, order, None, &mut stream).unwrap();
        String::from_utf8(output).unwrap()
    }

    fn annotated(new: &Table, old: Option<&Table>) -> Annotated {
        Annotated::Lines {
            event: "Ir".to_owned(),
            old: old.map(|_| "main".to_owned()),
            not_compared: None,
            annotation: Annotation::new(new, old, "Ir").unwrap(),
            sources: vec![AnnotatedSource::Text(SOURCE.to_owned()), AnnotatedSource::Missing],
        }
    }

    #[test]
    fn the_file_with_the_largest_change_comes_first() {
        let (old, new) = (table(&[(2, 900), (7, 10)], 0), table(&[(2, 900), (7, 50)], 0));
        let files = |order| {
            let text = text(annotated(&new, Some(&old)), 20, order);
            let [lib, other] = ["src/lib.rs", "src/other.rs"].map(|file| text.find(file).unwrap());
            if lib < other { "lib" } else { "other" }
        };
        assert_eq!(files(LineOrder::SelfCost), "lib");
        assert_eq!(files(LineOrder::Change), "other");
    }

    #[test]
    fn the_hottest_lines_come_first() {
        let new = table(&[(2, 100), (4, 200), (7, 10)], 690);
        let expected = "\
file::group::f
  1,000 instructions

  src/lib.rs
          Self     Inclusive  Line
  200   20.0 %  200   20.0 %     4  long( );
  100   10.0 %  790   79.0 %     2  g();

  2 of 3 lines have 30.0 % of the instructions as self cost; 69.0 % (690) belong to no line of yours, \
                        only to inclusive costs
";
        assert_eq!(text(annotated(&new, None), 2, LineOrder::SelfCost), expected);
        let inclusive = text(annotated(&new, None), 2, LineOrder::Inclusive);
        assert!(inclusive.find("g();") < inclusive.find("long( );"), "{inclusive}");
        let all = text(annotated(&new, None), usize::MAX, LineOrder::SelfCost);
        let other = "\n  src/other.rs: the source is gone, only line numbers are shown\n";
        assert!(all.contains(other), "{all}");
        assert!(all.contains("   10    1.0 %   10    1.0 %     7\n"), "{all}");
    }

    #[test]
    fn lines_are_compared() {
        let (new, old) = (table(&[(2, 100), (4, 200)], 700), table(&[(1, 100), (2, 150)], 700));
        let expected = "\
file::group::f
  1,000 instructions, +50 (+5.26 %) compared with main

  src/lib.rs
          Self  Change     Inclusive  Change  Line
  200   20.0 %    +200  200   20.0 %    +200     4  long( );
    0    0.0 %    -100    0    0.0 %    -800     1  fn f() {
  100   10.0 %     -50  800   80.0 %    +650     2  g();

  3 of 3 lines have 30.0 % of the instructions as self cost; 70.0 % (700) belong to no line of yours, \
                        only to inclusive costs
";
        let found = text(annotated(&new, Some(&old)), usize::MAX, LineOrder::Change);
        assert_eq!(found, expected);
        let same = text(annotated(&new, Some(&new)), usize::MAX, LineOrder::SelfCost);
        assert!(same.contains(", no change compared with main\n"), "{same}");
        assert!(same.contains("  200   20.0 %  200   20.0 %     4  long( );\n"), "{same}");
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(shortened("  a\tb  ", LONGEST_TEXT), "a b");
        let long = shortened(&"ä".repeat(LONGEST_TEXT + 1), LONGEST_TEXT);
        assert!(long.ends_with("ä…") && long.chars().count() == LONGEST_TEXT);
        let annotation = Annotation::new(&table(&[(2, 100)], 0), None, "Ir").unwrap();
        let columns = Columns::new(&annotation, false, &[]);
        let widths = [None, Some(30), Some(80), Some(300)].map(|width| columns.text_width(width));
        assert_eq!(widths, [120, 20, 50, 120]);
    }
}
