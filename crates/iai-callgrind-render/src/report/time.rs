//! Times: the table, and their summary.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::iter;

use iai_callgrind_base::console::style::{BETTER, FAINT, PATH, WORSE};
use iai_callgrind_base::note::counted;
use iai_callgrind_base::{name_above, name_width, numbers, shortened, text_width};
use iai_callgrind_compare::Change;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Percentage, Throughput, ValgrindTool};
use iai_callgrind_results::{Benchmark, BenchmarkResult, ToolResult};
use iai_callgrind_store::StoredTime;
use iai_callgrind_summary::time::{self as summary, Rate, RateUnit, TimeVerdict};
use iai_callgrind_timing::text::{self, change, change_interval, duration, duration_interval};
use iai_callgrind_timing::{
    BenchmarkTime, Estimate, Estimates, NeededPairs, TimeComparison, Verdict,
};

use crate::format::time_verdict;

/// The times of a run, as rows of a table.
#[derive(Debug, Default)]
pub(super) struct TimeTable {
    /// Benchmarks are timed.
    is_used: bool,
    /// The number of calls in an amount of data.
    calls: u16,
    rows: Vec<Row>,
    /// The fewest and the most observations on each side.
    observations: Option<(usize, usize)>,
    /// The observations are layouts, and not processes.
    has_layouts: bool,
    has_comparisons: bool,
    /// Number of comparisons that have an interval.
    intervals: usize,
    /// Number of unclear comparisons among these.
    unclear: usize,
    /// Maximum number of pairs that one of these needs, if it has too few of them.
    needed: Option<NeededPairs>,
    /// The CPU times of both sides, for benchmarks in which they differ from the wall-clock times.
    cpu: Vec<Row>,
    /// Number of benchmarks that were not timed.
    pub(super) same_code: usize,
    /// The changes of counts of each benchmark by its title.
    counts: HashMap<String, Vec<(MetricKind, Change)>>,
    /// The lines about benchmarks whose counts and time disagree.
    disagreements: Vec<String>,
}

/// The counts that are compared with the time, instructions first.
const COUNTS: [MetricKind; 6] = [
    MetricKind::Ir,
    MetricKind::EstimatedCycles,
    MetricKind::RamHits,
    MetricKind::LLhits,
    MetricKind::Bcm,
    MetricKind::Bim,
];

const CPU_HEADING: &str =
    "CPU time of all threads, for commands and for functions that start threads or wait:";

#[derive(Debug)]
struct Row {
    name: String,
    /// The columns between the name and the verdict.
    cells: Vec<String>,
    /// The rate of data in a second; empty if it is not known.
    rate: String,
    verdict: String,
}

impl TimeTable {
    /// Returns an empty table, which is used if benchmarks are timed.
    pub(super) fn new(is_used: bool, calls: u16) -> Self {
        Self { is_used, calls, ..Self::default() }
    }

    /// Adds a benchmark.
    pub(super) fn add(
        &mut self,
        benchmark: &Benchmark,
        time: &BenchmarkTime,
        stored: Option<&StoredTime>,
    ) {
        let rate = rate(benchmark, time.new.wall.value, self.calls);
        self.add_row(benchmark.title_in_text(), rate, time, stored);
    }

    /// Adds the time of the benchmark with this name and rate.
    fn add_row(
        &mut self,
        name: String,
        rate: String,
        time: &BenchmarkTime,
        stored: Option<&StoredTime>,
    ) {
        let number = time.layouts.unwrap_or(time.processes);
        let (least, most) = self.observations.unwrap_or((number, number));
        self.observations = Some((least.min(number), most.max(number)));
        self.has_layouts |= time.layouts.is_some();
        let row = match &time.comparison {
            None => {
                let Estimates { wall, cpu } = &time.new;
                let interval = duration_interval(wall.value, wall.interval);
                let cpu = cpu.map_or("unknown".to_owned(), |cpu| duration(cpu.value));
                let cells = vec![duration(wall.value), interval, format!("CPU {cpu}")];
                let verdict = stored.map_or_else(String::new, |stored| since(stored, wall.value));
                Row { name, cells, rate, verdict }
            }
            Some(comparison) => {
                self.has_comparisons = true;
                self.intervals += usize::from(comparison.ratio.wall.interval.is_some());
                self.unclear += usize::from(comparison.verdict == Verdict::Chance);
                self.needed = self.needed.max(comparison.needed);
                let times = |part| change_of_times(part, time, comparison);
                if time.has_own_cpu_time() {
                    self.cpu.push(cpu_row(name.clone(), times(|estimates| estimates.cpu)));
                }
                let counts = self.counts.get(&name).map_or(&[][..], Vec::as_slice);
                let instructions = counts.first().map_or_else(String::new, |(_, change)| {
                    format!("Instructions {}", change_in_words(*change))
                });
                let wall = times(|estimates| Some(estimates.wall)).into_iter().flatten();
                let cells = iter::once(instructions).chain(wall).collect();
                self.disagreements.extend(disagreement(&name, counts, comparison.verdict));
                Row { name, cells, rate, verdict: verdict(time, comparison) }
            }
        };
        self.rows.push(row);
    }

    /// Keeps the changes of the counts of a benchmark, which can be timed later.
    pub(super) fn keep_counts(&mut self, result: &BenchmarkResult<'_>) {
        if !self.is_used {
            return;
        }
        let callgrind = |tool: &&ToolResult<'_>| tool.options.tool.kind == ValgrindTool::Callgrind;
        let Some(tool) = result.tools.iter().find(callgrind) else { return };
        let Some(old) = &tool.old else { return };
        let changes = COUNTS.into_iter().filter_map(|kind| {
            let (new, old) = (tool.new.total.get(kind)?, old.total.get(kind)?);
            Some((kind, Change::between(Some(new), Some(old))))
        });
        self.counts.insert(result.benchmark.title_in_text(), changes.collect());
    }

    /// Returns the lines of the table after an empty one, with names that are shortened for this width; none without benchmarks.
    pub(super) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((least, most)) = self.observations {
            let number =
                if least == most { least.to_string() } else { format!("{least} to {most}") };
            let heading = if self.has_comparisons {
                let of = if self.has_layouts { "layouts" } else { "processes" };
                let pairs = text::observations(&number, "pair", "pairs");
                format!("Time, old → new, with 95 % intervals of the change from {pairs} of {of}")
            } else {
                let processes = text::observations(&number, "process", "processes");
                format!("Time of a call, with 95 % intervals from {processes}")
            };
            lines.extend([String::new(), format!("{heading}:"), String::new()]);
            lines.extend(aligned(&self.rows, width));
        }
        if !self.cpu.is_empty() {
            lines.extend([String::new(), CPU_HEADING.to_owned(), String::new()]);
            lines.extend(aligned(&self.cpu, width));
        }
        if !self.disagreements.is_empty() {
            lines.push(String::new());
            lines.extend(self.disagreements.iter().map(|line| format!("  {line}")));
        }
        lines.extend(self.unclear_line().into_iter().flat_map(|line| [String::new(), line]));
        if self.same_code > 0 {
            let number = counted(self.same_code, "benchmark");
            lines.extend([
                String::new(),
                format!("Not timed, because the same code runs on both sides: {number} (--time=all times them)"),
            ]);
        }
        lines
    }

    /// Returns a line with the number of benchmarks that are not clear, and what to do.
    fn unclear_line(&self) -> Option<String> {
        let remedy = match (self.needed, self.has_layouts) {
            (None, false) => "raise --time-budget".to_owned(),
            (None, true) => "raise --time-layouts".to_owned(),
            (Some(NeededPairs { number, .. }), true) => {
                format!("a verdict needs {number} layouts or more: --time-layouts={number}")
            }
            (Some(NeededPairs { number, budget }), false) => {
                let seconds = budget.as_secs_f64().ceil();
                format!("a verdict needs {number} pairs or more: --time-budget={seconds}s")
            }
        };
        (self.unclear > 0).then(|| {
            let (number, intervals) = (counted(self.unclear, "benchmark"), self.intervals);
            format!("Not clear among {intervals}: {number} ({remedy}, or time fewer with a filter)")
        })
    }
}

/// Returns the times of both sides and their difference, of this part of the time; `None` if a side does not have it.
fn change_of_times(
    part: fn(&Estimates) -> Option<Estimate>,
    time: &BenchmarkTime,
    comparison: &TimeComparison,
) -> Option<[String; 5]> {
    let (old, new) = (part(&comparison.old)?.value, part(&time.new)?.value);
    let Estimate { value, interval, .. } = part(&comparison.ratio)?;
    let (change, interval) = (change(value, interval), change_interval(interval));
    Some([duration(old), "→".to_owned(), duration(new), change, interval])
}

/// Returns the row of a benchmark with these CPU times.
fn cpu_row(name: String, times: Option<[String; 5]>) -> Row {
    let unknown = "not compared: the CPU clock of a side did not advance";
    let verdict = if times.is_some() { "" } else { unknown }.to_owned();
    Row { name, cells: times.map_or_else(Vec::new, Vec::from), rate: String::new(), verdict }
}

/// Returns a line about instructions that changed in the opposite direction to the time, with the counts that changed
/// like the time.
fn disagreement(name: &str, counts: &[(MetricKind, Change)], verdict: Verdict) -> Option<String> {
    let (direction, word) = match verdict {
        Verdict::Slower => (Ordering::Greater, "slower"),
        Verdict::Faster => (Ordering::Less, "faster"),
        Verdict::NoDifference | Verdict::Chance | Verdict::TooFew => return None,
    };
    let ((_, instructions), others) = counts.split_first()?;
    let instructions = instructions.direction().filter(|it| *it != direction)?;
    let number = match instructions {
        Ordering::Less => "fewer instructions",
        Ordering::Equal => "the same number of instructions",
        Ordering::Greater => "more instructions",
    };
    let agreeing = others.iter().filter(|(_, change)| change.direction() == Some(direction));
    let agreeing: Vec<_> = agreeing
        .map(|(kind, change)| format!("{} {}", kind.label(), change_in_words(*change)))
        .collect();
    let reason = if agreeing.is_empty() {
        "none of the counts changed like the time: the place of code and data, or waiting"
            .to_owned()
    } else {
        format!("these counts changed like the time: {}", agreeing.join(", "))
    };
    Some(format!("{name} is {word} with {number}; {reason}"))
}

/// Formats a change with one digit after the point.
fn change_in_words(change: Change) -> String {
    match change.percentage() {
        Some(percentage) if percentage.is_finite() && change != Change::Equal => {
            format!("{} %", numbers::fixed(percentage, 1))
        }
        Some(0.0) => "0 %".to_owned(),
        _ => change.percentage_text(),
    }
}

/// Returns the lines of rows, with columns of the same width. Names are shortened if the rows are wider than a terminal of this
/// width, and are above their columns if these leave too little room.
fn aligned(rows: &[Row], width: Option<usize>) -> impl Iterator<Item = String> {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let widths = (0..columns).map(|column| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| text_width(cell)).max().unwrap_or(0)
    });
    let widths: Vec<_> = widths.collect();
    let longest =
        |part: fn(&Row) -> &str| rows.iter().map(|row| text_width(part(row))).max().unwrap_or(0);
    let rate_width = match longest(|row| &row.rate) {
        0 => 0,
        width => width + 2,
    };
    let widths_of_cells = widths.iter().map(|width| 2 + width).sum::<usize>();
    let others = widths_of_cells + rate_width + longest(|row| &row.verdict);
    let name_width = name_width(longest(|row| &row.name), others + 4, width);
    rows.iter().flat_map(move |row| {
        let columns = columns_of(row, &widths, rate_width);
        let Some(name_width) = name_width else {
            let name = name_above(&row.name, 2, width);
            return vec![format!("  {PATH}{name}{PATH:#}"), format!("  {columns}")];
        };
        let name = shortened(&row.name, name_width);
        let fill = " ".repeat(name_width.saturating_sub(text_width(&name)));
        vec![format!("  {PATH}{name}{PATH:#}{fill}{columns}")]
    })
}

/// Returns the columns of a row, with these widths.
fn columns_of(row: &Row, widths: &[usize], rate_width: usize) -> String {
    let mut line = String::new();
    for (cell, column) in row.cells.iter().zip(widths) {
        line.push_str(&" ".repeat(2 + column - text_width(cell)));
        line.push_str(cell);
    }
    if rate_width > 0 && !(row.rate.is_empty() && row.verdict.is_empty()) {
        line.push_str(&" ".repeat(rate_width - text_width(&row.rate)));
        line.push_str(&row.rate);
    }
    if !row.verdict.is_empty() {
        line.push_str("  ");
        line.push_str(&row.verdict);
    }
    line
}

/// Returns the amount of data that a benchmark processes in a second, if a call takes this many nanoseconds: `1.25 M
/// elements/s`.
fn rate(benchmark: &Benchmark, nanoseconds: f64, calls: u16) -> String {
    let amount = amount_time(benchmark, nanoseconds, calls);
    amount.map_or_else(String::new, |(throughput, time)| rate_text(throughput, time))
}

/// Returns the amount of data of a benchmark, and the time in which it is processed if a call takes this many nanoseconds.
/// Benchmarks of other harnesses have the amount of several calls.
fn amount_time(benchmark: &Benchmark, nanoseconds: f64, calls: u16) -> Option<(Throughput, f64)> {
    let calls = if benchmark.external_id.is_some() { f64::from(calls.max(1)) } else { 1.0 };
    Some((benchmark.options.throughput?, nanoseconds * calls))
}

/// Returns an amount that was processed in this time as amounts in a second.
fn rate_text(throughput: Throughput, nanoseconds: f64) -> String {
    let rate = |amount: u64, base: f64, units: [&str; 4]| {
        let mut rate = amount as f64 * 1e9 / nanoseconds;
        let mut index = 0;
        while rate >= base && index + 1 < units.len() {
            rate /= base;
            index += 1;
        }
        let digits = if rate < 10.0 { 2 } else { usize::from(rate < 100.0) };
        format!("{rate:.digits$} {}", units[index])
    };
    let elements = |amount| {
        let units = ["elements/s", "K elements/s", "M elements/s", "G elements/s"];
        rate(amount, 1000.0, units)
    };
    let bytes = |amount| rate(amount, 1024.0, ["B/s", "KiB/s", "MiB/s", "GiB/s"]);
    match throughput {
        // Without a time there is no rate
        _ if nanoseconds <= 0.0 => String::new(),
        Throughput::Bytes(amount) => bytes(amount),
        Throughput::BytesDecimal(amount) => rate(amount, 1000.0, ["B/s", "KB/s", "MB/s", "GB/s"]),
        Throughput::Elements(amount) => elements(amount),
        Throughput::ElementsAndBytes { elements: number, bytes: amount } => {
            format!("{}, {}", elements(number), bytes(amount))
        }
        Throughput::Bits(amount) => rate(amount, 1000.0, ["bit/s", "Kbit/s", "Mbit/s", "Gbit/s"]),
    }
}

/// Returns the stored time of another run, and the difference from it.
fn since(stored: &StoredTime, now: f64) -> String {
    let StoredTime { measured, time, .. } = stored;
    let old = time.new.wall.value;
    let change = change(now / old, None);
    format!("{FAINT}stored: {} of {measured}, {change} since{FAINT:#}", duration(old))
}

/// Returns the verdict of a comparison.
fn verdict(time: &BenchmarkTime, comparison: &TimeComparison) -> String {
    let style = match comparison.verdict {
        _ if comparison.exceeded.is_some() => WORSE,
        Verdict::Slower => WORSE,
        Verdict::Faster => BETTER,
        Verdict::NoDifference | Verdict::Chance | Verdict::TooFew => FAINT,
    };
    let words = time_verdict(&without_rates(time, None)).unwrap_or_default();
    format!("{style}{words}{style:#}")
}

/// Summarizes the time of a benchmark, with a stored one if it is shown with it. The options have the number of calls.
pub fn summary(
    benchmark: &Benchmark,
    calls: u16,
    time: &BenchmarkTime,
    stored: Option<&StoredTime>,
) -> summary::Time {
    let rates = amount_time(benchmark, time.new.wall.value, calls)
        .map_or_else(Vec::new, |(throughput, nanoseconds)| rates(throughput, nanoseconds));
    summary::Time { rates, ..without_rates(time, stored) }
}

/// Returns the amounts that are processed in a second, if they are processed in this time. An amount of zero has no
/// rate.
fn rates(throughput: Throughput, nanoseconds: f64) -> Vec<Rate> {
    let amounts = match throughput {
        Throughput::Bytes(amount) | Throughput::BytesDecimal(amount) => {
            vec![(RateUnit::Bytes, amount)]
        }
        Throughput::Elements(amount) => vec![(RateUnit::Elements, amount)],
        Throughput::ElementsAndBytes { elements, bytes } => {
            vec![(RateUnit::Elements, elements), (RateUnit::Bytes, bytes)]
        }
        Throughput::Bits(amount) => vec![(RateUnit::Bits, amount)],
    };
    let amounts = amounts.into_iter().filter(|(_, amount)| *amount > 0 && nanoseconds > 0.0);
    let rate = |(unit, amount)| Rate { unit, per_second: amount as f64 * 1e9 / nanoseconds };
    amounts.map(rate).collect()
}

fn without_rates(time: &BenchmarkTime, stored: Option<&StoredTime>) -> summary::Time {
    let BenchmarkTime { new, comparison, processes, layouts, samples, calls, observations, .. } =
        time;
    let part = |part: fn(&TimeComparison) -> &Estimates| {
        comparison.as_ref().map(|comparison| times(part(comparison)))
    };
    summary::Time {
        new: times(new),
        old: part(|comparison| &comparison.old).or_else(|| Some(stored?.time.new.clone())),
        old_measured: stored.map(|stored| stored.measured.clone()),
        ratio: part(|comparison| &comparison.ratio),
        verdict: comparison.as_ref().map(|comparison| match comparison.verdict {
            Verdict::Faster => TimeVerdict::Faster,
            Verdict::Slower => TimeVerdict::Slower,
            Verdict::NoDifference => TimeVerdict::NoDifference,
            Verdict::Chance => TimeVerdict::Chance,
            Verdict::TooFew => TimeVerdict::TooFewProcesses,
        }),
        exceeded_limit: comparison.as_ref().and_then(|it| it.exceeded).map(Percentage::get),
        processes: *processes as u64,
        layouts: layouts.map(|layouts| layouts as u64),
        samples: *samples as u64,
        calls: (*calls).into(),
        observations: observations.clone(),
        rates: Vec::new(),
    }
}

fn times(estimates: &Estimates) -> summary::Times {
    let estimate = |estimate: &Estimate| summary::Estimate {
        value: estimate.value,
        low: estimate.interval.map(|(low, _)| low),
        high: estimate.interval.map(|(_, high)| high),
    };
    summary::Times { wall: estimate(&estimates.wall), cpu: estimates.cpu.as_ref().map(estimate) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn by(percentage: f64) -> Change {
        Change::By { percentage, factor: 1.0 + percentage / 100.0 }
    }

    /// Returns a comparison of times with these parts.
    fn compared(cpu: Option<Estimate>, verdict: Verdict) -> BenchmarkTime {
        let wall = estimate(1000.0);
        let new = Estimates { wall, cpu };
        let comparison = TimeComparison {
            old: new,
            ratio: Estimates { wall: Estimate { interval: Some((1.1, 1.3)), ..wall }, cpu },
            verdict,
            exceeded: None,
            needed: None,
        };
        BenchmarkTime {
            new,
            comparison: Some(comparison),
            processes: 8,
            layouts: None,
            samples: 8,
            calls: 1,
            has_threads: false,
            observations: Vec::new(),
        }
    }

    fn estimate(value: f64) -> Estimate {
        Estimate { value, interval: None, probability: 1.0 }
    }

    /// Returns the lines of a table with these benchmarks.
    fn lines_of(times: &[BenchmarkTime]) -> String {
        let mut table = TimeTable::new(true, 1);
        for (name, time) in ["f", "g"].into_iter().zip(times) {
            table.add_row(name.to_owned(), String::new(), time, None);
        }
        anstream::adapter::strip_str(&table.lines(None).join("\n")).to_string()
    }

    #[test]
    fn names_without_room_are_above_their_times() {
        let names = ["file::group::first with_an_id:1", "file::group::second with_an_id:2"];
        let row = |name: &str| Row {
            name: name.to_owned(),
            cells: vec!["1.000 µs → 1.200 µs".to_owned(), "+20.0 %".to_owned()],
            rate: String::new(),
            verdict: "slower".to_owned(),
        };
        let rows = names.map(row);
        let lines = |width| {
            let lines = aligned(&rows, Some(width)).collect::<Vec<_>>().join("\n");
            anstream::adapter::strip_str(&lines).to_string()
        };
        assert_eq!(
            lines(71),
            "  file::group::first with_an_id:1  1.000 µs → 1.200 µs  +20.0 %  slower\n  \
             file::grou…:second with_an_id:2  1.000 µs → 1.200 µs  +20.0 %  slower"
        );
        assert_eq!(
            lines(69),
            "  file::group::first with_an_id:1\n    1.000 µs → 1.200 µs  +20.0 %  slower\n  \
             file::group::second with_an_id:2\n    1.000 µs → 1.200 µs  +20.0 %  slower"
        );
        let narrow = lines(30);
        let narrow: Vec<_> = narrow.lines().step_by(2).collect();
        assert_eq!(narrow, ["  file::gro…first with_an_id:1", "  file::gro…econd with_an_id:2"]);
    }

    #[test]
    fn a_benchmark_without_a_cpu_time_has_its_rows() {
        let time = compared(None, Verdict::Slower);
        let alone = BenchmarkTime { comparison: None, ..time.clone() };
        let lines = lines_of(&[time, alone]);
        let parts = [
            "  f  ",
            "→",
            "CPU unknown",
            "  f  not compared: the CPU clock of a side did not advance",
        ];
        assert!(parts.iter().all(|part| lines.contains(part)), "{lines}");
    }

    #[test]
    fn a_line_says_what_unclear_benchmarks_need() {
        let clear = compared(Some(estimate(1000.0)), Verdict::Slower);
        let unclear = |needed, layouts| {
            let mut time = BenchmarkTime { layouts, ..clear.clone() };
            let comparison = time.comparison.as_mut().unwrap();
            (comparison.verdict, comparison.needed) = (Verdict::Chance, needed);
            let lines = lines_of(&[clear.clone(), time]);
            lines.lines().last().unwrap().to_owned()
        };
        let needed = Some(NeededPairs { number: 10, budget: Duration::from_millis(4100) });
        let line = |remedy: &str| {
            format!("Not clear among 2: 1 benchmark ({remedy}, or time fewer with a filter)")
        };
        assert_eq!(unclear(None, None), line("raise --time-budget"));
        let budget = line("a verdict needs 10 pairs or more: --time-budget=5s");
        assert_eq!(unclear(needed, None), budget);
        let layouts = line("a verdict needs 10 layouts or more: --time-layouts=10");
        assert_eq!(unclear(needed, Some(8)), layouts);
        assert!(!lines_of(std::slice::from_ref(&clear)).contains("Not clear"));
    }

    #[test]
    fn a_line_says_which_counts_changed_like_the_time() {
        let counts = [(MetricKind::Ir, by(-4.04)), (MetricKind::RamHits, by(25.0))];
        assert_eq!(
            disagreement("f", &counts, Verdict::Slower).as_deref(),
            Some(
                "f is slower with fewer instructions; these counts changed like the time: RAM Hits +25.0 %"
            )
        );
        assert_eq!(disagreement("f", &counts, Verdict::Faster), None);
        assert_eq!(disagreement("f", &counts, Verdict::Chance), None);
        let equal = [(MetricKind::Ir, Change::Equal)];
        let line = disagreement("f", &equal, Verdict::Faster).unwrap();
        assert!(
            line.starts_with("f is faster with the same number of instructions; none of"),
            "{line}"
        );
    }

    #[test]
    fn rates_have_the_units_of_the_amount() {
        let rate = |throughput| rate_text(throughput, 1000.0);
        assert_eq!(rate(Throughput::Elements(5)), "5.00 M elements/s");
        assert_eq!(rate(Throughput::Bytes(1024)), "977 MiB/s");
        assert_eq!(rate(Throughput::BytesDecimal(1024)), "1.02 GB/s");
        let both = Throughput::ElementsAndBytes { elements: 64, bytes: 512 };
        assert_eq!(rate(both), "64.0 M elements/s, 488 MiB/s");
        assert_eq!(rate_text(Throughput::Bits(1), 1e9), "1.00 bit/s");
        assert_eq!(rate_text(Throughput::Bits(1), 0.0), "");
        let of_json = |throughput, nanoseconds| {
            let rates = rates(throughput, nanoseconds).into_iter();
            rates.map(|rate| (rate.unit, rate.per_second)).collect::<Vec<_>>()
        };
        let expected = [(RateUnit::Elements, 64e6), (RateUnit::Bytes, 512e6)];
        assert_eq!(of_json(both, 1000.0), expected);
        assert_eq!(of_json(Throughput::BytesDecimal(4), 2000.0), [(RateUnit::Bytes, 2e6)]);
        assert_eq!(of_json(Throughput::Bits(1), 0.0), []);
        assert_eq!(of_json(Throughput::Bytes(0), 1000.0), []);
    }
}
