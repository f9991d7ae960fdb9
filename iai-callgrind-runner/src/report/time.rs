//! Times: the table, and their summary.

use iai_callgrind_summary::time::{self as summary, TimeVerdict};

use super::style::{BETTER, FAINT, PATH, WORSE};
use crate::note::counted;
use crate::time::{BenchmarkTime, Estimate, Estimates, Found, TimeCheck, TimeComparison, Verdict};

/// Number of nanoseconds in each unit.
const UNITS: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];

/// The times of a run, as rows of a table.
#[derive(Debug, Default)]
pub(super) struct TimeTable {
    rows: Vec<Row>,
    /// The fewest and the most processes on each side.
    processes: Option<(usize, usize)>,
    has_comparisons: bool,
    /// Number of benchmarks that were not timed.
    same_code: usize,
}

#[derive(Debug)]
struct Row {
    name: String,
    /// The columns between the name and the verdict.
    cells: Vec<String>,
    verdict: String,
}

impl TimeTable {
    /// Adds a benchmark.
    pub(super) fn add(&mut self, name: String, time: &BenchmarkTime) {
        let (least, most) = self.processes.unwrap_or((time.processes, time.processes));
        self.processes = Some((least.min(time.processes), most.max(time.processes)));
        let wall = &time.new.wall;
        let now = duration(wall.value, wall.value);
        let row = match &time.comparison {
            None => {
                let cpu = &time.new.cpu;
                let cpu = format!("CPU {}", duration(cpu.value, cpu.value));
                let cells = vec![now, interval_of_time(wall), cpu];
                Row { name, cells, verdict: String::new() }
            }
            Some(comparison) => {
                self.has_comparisons = true;
                let ratio = &comparison.ratio.wall;
                let old = comparison.old.wall.value;
                let digits = digits_of(ratio);
                let change = format!("{} %", percentage(ratio.value, digits));
                let cells = vec![duration(old, old), "→".to_owned(), now, change, interval(ratio)];
                let mut verdict = verdict(comparison.verdict, digits);
                if let Some(limit) = comparison.exceeded {
                    let limit = limit * 100.0;
                    verdict = format!("{WORSE}slower than the limit of {limit} %{WORSE:#}");
                }
                Row { name, cells, verdict }
            }
        };
        self.rows.push(row);
    }

    /// Notes that this number of benchmarks was not timed.
    pub(super) fn note_same_code(&mut self, number: usize) {
        self.same_code = number;
    }

    /// Returns the lines of the table after an empty one; none without benchmarks.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((least, most)) = self.processes {
            let number =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            let heading = if self.has_comparisons {
                format!(
                    "Time, old → new, with 95 % intervals of the change from {number} pairs of processes"
                )
            } else {
                format!("Time of a call, with 95 % intervals from {number} processes")
            };
            lines.extend([String::new(), format!("{heading}:"), String::new()]);
            lines.extend(aligned(&self.rows));
        }
        if self.same_code > 0 {
            let number = counted(self.same_code, "benchmark");
            lines.extend([
                String::new(),
                format!("Not timed, because the same code runs on both sides: {number} (--time=all times them)"),
            ]);
        }
        lines
    }
}

/// Returns a line for each row, with columns of the same width.
fn aligned(rows: &[Row]) -> impl Iterator<Item = String> {
    let name_width = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let widths = (0..columns).map(|column| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or(0)
    });
    let widths: Vec<_> = widths.collect();
    rows.iter().map(move |row| {
        let fill = " ".repeat(name_width - width(&row.name));
        let mut line = format!("  {PATH}{}{PATH:#}{fill}", row.name);
        for (cell, column) in row.cells.iter().zip(&widths) {
            line.push_str(&" ".repeat(2 + column - width(cell)));
            line.push_str(cell);
        }
        if !row.verdict.is_empty() {
            line.push_str("  ");
            line.push_str(&row.verdict);
        }
        line
    })
}

/// Returns the lines of a check after an empty one.
pub(super) fn check_lines(check: &TimeCheck) -> Vec<String> {
    let cell = |found: &Found| format!("{} of {}", found.differing, found.comparisons);
    let row = |name: &str, found: &[Found]| Row {
        name: name.to_owned(),
        cells: found.iter().map(cell).collect(),
        verdict: String::new(),
    };
    let added = TimeCheck::ADDED.map(|added| match added {
        0 => "nothing".to_owned(),
        added => format!("+{} %", f64::from(added) / 100.0),
    });
    let heading =
        Row { name: "added to one side".to_owned(), cells: added.into(), verdict: String::new() };
    let total = check.total();
    let mut rows = vec![heading];
    rows.extend(check.benchmarks.iter().map(|it| row(&it.name, &it.found)));
    if check.benchmarks.len() > 1 {
        rows.push(row("all", &total));
    }
    let intervals: usize = total.iter().map(|found| found.intervals).sum();
    let covered: usize = total.iter().map(|found| found.covered).sum();
    let mut lines = vec![
        String::new(),
        "Comparisons of each benchmark with itself that found it faster or slower:".to_owned(),
        String::new(),
    ];
    lines.extend(aligned(&rows));
    lines.push(String::new());
    lines.push(format!(
        "{covered} of {intervals} intervals contained the true ratio (95 % should)."
    ));
    lines
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Formats a time in nanoseconds with four digits, in the unit that fits another one.
fn duration(time: f64, unit_of: f64) -> String {
    let (unit, size) = unit(unit_of);
    format!("{} {unit}", four_digits(time / size))
}

fn unit(time: f64) -> (&'static str, f64) {
    let found = UNITS.into_iter().find(|(_, size)| time >= *size);
    found.unwrap_or(UNITS[UNITS.len() - 1])
}

fn four_digits(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.3}"),
        ..100.0 => format!("{number:.2}"),
        ..1000.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

fn interval_of_time(estimate: &Estimate) -> String {
    let Some((low, high)) = estimate.interval else { return "[too few processes]".to_owned() };
    let (unit, size) = unit(estimate.value);
    format!("[{}, {}] {unit}", four_digits(low / size), four_digits(high / size))
}

/// Returns the number of digits after the point with which the interval of a ratio is shown.
fn digits_of(ratio: &Estimate) -> usize {
    let width = ratio.interval.map_or(1.0, |(low, high)| high - low);
    if width < 0.002 { 2 } else { 1 }
}

/// Formats the difference of a ratio from one.
fn percentage(ratio: f64, digits: usize) -> String {
    format!("{:+.digits$}", (ratio - 1.0) * 100.0)
}

fn interval(ratio: &Estimate) -> String {
    let Some((low, high)) = ratio.interval else { return "[too few pairs]".to_owned() };
    let digits = digits_of(ratio);
    format!("[{}, {}]", percentage(low, digits), percentage(high, digits))
}

fn verdict(verdict: Verdict, digits: usize) -> String {
    match verdict {
        Verdict::Faster => format!("{BETTER}faster{BETTER:#}"),
        Verdict::Slower => format!("{WORSE}slower{WORSE:#}"),
        Verdict::NoDifference { beyond } => {
            format!("{FAINT}no difference beyond {:.digits$} %{FAINT:#}", beyond * 100.0)
        }
        Verdict::Chance => format!("{FAINT}not clear among so many benchmarks{FAINT:#}"),
        Verdict::TooFew => format!("{FAINT}more time needed: --time-budget{FAINT:#}"),
    }
}

/// Summarizes the time of a benchmark.
pub(super) fn summary(time: &BenchmarkTime) -> summary::Time {
    let BenchmarkTime { new, comparison, processes, samples, calls } = time;
    let part = |part: fn(&TimeComparison) -> &Estimates| {
        comparison.as_ref().map(|comparison| times(part(comparison)))
    };
    summary::Time {
        new: times(new),
        old: part(|comparison| &comparison.old),
        ratio: part(|comparison| &comparison.ratio),
        verdict: comparison.as_ref().map(|comparison| match comparison.verdict {
            Verdict::Faster => TimeVerdict::Faster,
            Verdict::Slower => TimeVerdict::Slower,
            Verdict::NoDifference { .. } => TimeVerdict::NoDifference,
            Verdict::Chance => TimeVerdict::Chance,
            Verdict::TooFew => TimeVerdict::TooFewProcesses,
        }),
        processes: *processes as u64,
        samples: *samples as u64,
        calls: (*calls).into(),
    }
}

fn times(estimates: &Estimates) -> summary::Times {
    let estimate = |estimate: &Estimate| summary::Estimate {
        value: estimate.value,
        low: estimate.interval.map(|(low, _)| low),
        high: estimate.interval.map(|(_, high)| high),
    };
    summary::Times { wall: estimate(&estimates.wall), cpu: estimate(&estimates.cpu) }
}
