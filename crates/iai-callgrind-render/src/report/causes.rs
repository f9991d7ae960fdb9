//! Changes by their causes: benchmarks whose changes have the same cause are one entry.

use std::collections::BTreeMap;

use iai_callgrind_base::console::style::{NEW, PATH};
use iai_callgrind_base::numbers::{self, grouped};
use iai_callgrind_base::{Natural, note::counted, text_width};
use iai_callgrind_compare::Change;
use iai_callgrind_explain::Verdict;
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_results::{BenchmarkResult, Explained, ToolResult};
use iai_callgrind_summary::explanation::Cause;

use super::changes::deciding;
use super::explanation::{CACHES, cause, lines};
use crate::format::{Category, CauseRank};

/// Maximum number of lines of the explanation of the largest change, if others have the same cause. With the cause, the name
/// and the list of the others it has 15 lines.
const LINES: usize = 9;

/// Maximum number of lines with the other benchmarks of a cause.
const LIST_LINES: usize = 4;

/// Width of the lines on a terminal whose width is not known, and elsewhere.
const WIDTH: usize = 100;

/// The start of the lines below a cause.
const INDENT: &str = "    ";

/// Number of causes that are explained. The others are named.
const EXPLAINED: usize = 5;

/// The changes of a run that are explained.
#[derive(Debug, Default)]
pub(super) struct Causes(Vec<ExplainedBenchmark>);

/// A benchmark with its explanation.
#[derive(Debug)]
struct ExplainedBenchmark {
    title: String,
    category: Category,
    /// The change of the instructions.
    change: Change,
    /// The deciding metric and its change, if the instructions are equal.
    other: Option<(MetricKind, Change)>,
    cause: Option<Cause>,
    /// The lines of the explanation.
    lines: Vec<String>,
    /// The lines of the explanation if others have the same cause.
    short: Vec<String>,
}

impl ExplainedBenchmark {
    fn new(
        result: &BenchmarkResult<'_>,
        tool: &ToolResult<'_>,
        category: Category,
        most: usize,
    ) -> Option<Self> {
        let explanation = tool.explanation.as_ref()?;
        let instructions = |metrics: &Metrics| metrics.get(MetricKind::Ir);
        let old = tool.old.as_ref().and_then(|old| instructions(&old.total));
        let name = result.benchmark.name();
        let mut explained = Self {
            title: result.benchmark.title_in_text(),
            category,
            change: Change::between(instructions(&tool.new.total), old),
            other: deciding(result).filter(|(kind, _)| *kind != MetricKind::Ir),
            cause: cause(explanation),
            lines: lines(&name, explanation, most),
            short: lines(&name, explanation, most.min(LINES)),
        };
        // Other code without another count has no line to show
        let is_vague = explanation.as_ref().is_ok_and(is_vague);
        // Only metrics that are not shown moved
        if is_vague && category == Category::Unchanged && explained.percentage() == 0.0 {
            return None;
        }
        if is_vague && explained.category == Category::CachesOnly {
            explained.cause = None;
            explained.lines = vec![CACHES.to_owned()];
        }
        Some(explained)
    }

    fn percentage(&self) -> f64 {
        self.change.percentage().unwrap_or(0.0)
    }

    /// Returns the change after the name: ` +4 %`, ` Total read+write +4 %`, nothing for a change of caches.
    fn change_text(&self) -> String {
        match &self.other {
            _ if self.percentage() != 0.0 => format!(" {}", numbers::percent(self.percentage())),
            Some((kind, change)) => format!(" {} {}", kind.label(), change.short_text()),
            None => String::new(),
        }
    }
}

/// Returns true for a kind of change that names neither a line nor a part of the environment.
fn is_vague(explained: &Explained) -> bool {
    matches!(
        explained.difference.verdict,
        Verdict::Caches
            | Verdict::OtherInFile { .. }
            | Verdict::OtherFiles { .. }
            | Verdict::CodeGeneration { .. }
    )
}

impl Causes {
    /// Adds the explanations of a result of this category, each of at most this number of lines.
    pub(super) fn add(&mut self, result: &BenchmarkResult<'_>, category: Category, most: usize) {
        let tools = result.tools.iter();
        let explained =
            tools.filter_map(|tool| ExplainedBenchmark::new(result, tool, category, most));
        self.0.extend(explained);
    }

    /// Returns the causes with their benchmarks by severity: the cause of the worst change first, then the cause of
    /// most benchmarks. Each starts with the largest change of its worst category.
    fn groups(&self) -> Vec<Vec<&ExplainedBenchmark>> {
        let mut groups: BTreeMap<Natural<String>, Vec<&ExplainedBenchmark>> = BTreeMap::new();
        for benchmark in &self.0 {
            // A change without an explanation has the reason as its only line
            let name = match &benchmark.cause {
                Some(cause) => cause.name.clone(),
                None => benchmark.lines.first().cloned().unwrap_or_default(),
            };
            groups.entry(Natural(name)).or_default().push(benchmark);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        for group in &mut groups {
            let size = |benchmark: &ExplainedBenchmark| benchmark.percentage().abs();
            group.sort_by(|a, b| {
                a.category.cmp(&b.category).then_with(|| size(b).total_cmp(&size(a)))
            });
        }
        CauseRank::sorted(groups, |group| {
            CauseRank::of(
                group.iter().map(|benchmark| (benchmark.category, benchmark.percentage())),
            )
        })
    }

    /// Returns the lines below the heading, each cause after an empty line, for a terminal of this width.
    pub(super) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let list_width = width.unwrap_or(WIDTH).saturating_sub(INDENT.len());
        let mut text = Vec::new();
        for (index, group) in self.groups().iter().enumerate() {
            let Some((largest, others)) = group.split_first() else { continue };
            let title = match &largest.cause {
                Some(cause) => cause.text.clone(),
                None => largest.lines.first().cloned().unwrap_or_default(),
            };
            text.push(String::new());
            if index >= EXPLAINED {
                text.push(format!("  {NEW}{title}{NEW:#}: {}", named_summary(group)));
                continue;
            }
            text.push(format!("  {NEW}{title}{NEW:#}: {}", summary(group)));
            let explanation = if others.is_empty() { &largest.lines } else { &largest.short };
            if largest.cause.is_some() {
                text.push(format!("{INDENT}{PATH}{}{PATH:#}", largest.title));
                text.extend(explanation.iter().map(|line| format!("{INDENT}{line}")));
            }
            let list = match &largest.cause {
                Some(_) => list("also ", others, list_width),
                None => list("", group, list_width),
            };
            text.extend(list.iter().map(|line| format!("{INDENT}{line}")));
        }
        text
    }

    /// Returns true if the cause of the change of a benchmark is listed.
    pub(super) fn cover(&self, title: &str) -> bool {
        self.0.iter().any(|benchmark| benchmark.title == title && benchmark.cause.is_some())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the number of benchmarks and the range of their changes: `12 benchmarks, +4 % to +57 %`, with the number of those
/// that exceed limits if others do not. Without a change of
/// the instructions it is `2 benchmarks, instructions equal`, followed by another metric if it changed in all of them.
fn summary(group: &[&ExplainedBenchmark]) -> String {
    let broken = group.iter().filter(|benchmark| benchmark.category == Category::Regressed).count();
    let broken = match group.len() - broken {
        others if others > 0 && broken > 0 => {
            format!(" ({} {})", grouped(broken as u64), Category::Regressed.text(broken))
        }
        _ => String::new(),
    };
    let number = counted(group.len(), "benchmark") + &broken;
    let extent = numbers::extent(group.iter().map(|benchmark| benchmark.percentage()));
    if extent == (0.0, 0.0) {
        let other = group.iter().map(|benchmark| benchmark.change_text());
        let other = other.reduce(|a, b| if a == b { a } else { String::new() }).unwrap_or_default();
        let comma = if other.is_empty() { "" } else { "," };
        return format!("{number}, instructions equal{comma}{other}");
    }
    format!("{number}, {}", numbers::percent_range(extent))
}

/// Returns the only benchmark with its change, or the summary of several.
fn named_summary(group: &[&ExplainedBenchmark]) -> String {
    match group {
        [only] => format!("{PATH}{}{PATH:#}{}", only.title, only.change_text()),
        several => summary(several),
    }
}

/// Returns lines of at most this width with the names of benchmarks and their changes, the first one after this text. If there are
/// too many, the last line has the number of the others.
fn list(start: &str, others: &[&ExplainedBenchmark], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, benchmark) in others.iter().enumerate() {
        let start = if index == 0 { start } else { "" };
        let item = format!("{start}{}{}", benchmark.title, benchmark.change_text());
        let fits = |line: &String| text_width(line) + text_width(&item) + ", ,".len() <= width;
        let is_full = lines.len() + 1 == LIST_LINES && index + 1 < others.len();
        match lines.last_mut() {
            Some(line) if fits(line) => line.extend([", ", &item]),
            _ if is_full => {
                lines.push(format!("and {} more", others.len() - index));
                break;
            }
            last => {
                if let Some(line) = last {
                    line.push(',');
                }
                lines.push(item);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::Value;

    use super::*;

    fn benchmark(number: u64, cause: Option<&str>) -> ExplainedBenchmark {
        let count = |count| Some(Value::Count(count));
        let cause = cause.map(|name| Cause {
            name: name.to_owned(),
            text: format!("{name} changed"),
            function: None,
            file: None,
            line: None,
            is_removed_line: false,
            possible_lines: Vec::new(),
        });
        ExplainedBenchmark {
            title: format!("file::group::benchmark_{number}"),
            category: Category::Worse,
            change: Change::between(count(100 + number), count(100)),
            other: None,
            cause,
            lines: vec!["a line".to_owned(); 12],
            short: vec!["a line".to_owned(); LINES],
        }
    }

    #[test]
    fn a_cause_has_at_most_15_lines() {
        let causes = Causes((1..=40).map(|number| benchmark(number, Some("f"))).collect());
        let lines = causes.lines(None);
        assert_eq!(lines.len(), 1 + 15, "{lines:#?}");
        assert_eq!(lines[1], format!("  {NEW}f changed{NEW:#}: 40 benchmarks, +1 % to +40 %"));
        assert!(lines[2].contains("benchmark_40"), "the largest change: {lines:#?}");
        assert!(lines[12].starts_with("    also file::group::benchmark_39 +39 %, "), "{lines:#?}");
        let listed: usize = lines.iter().map(|line| line.matches(" %").count()).sum::<usize>() - 2;
        assert_eq!(lines[15], format!("    and {} more", 39 - listed));
    }

    #[test]
    fn a_change_without_one_of_the_instructions_says_so() {
        let count = |count| Some(Value::Count(count));
        let lines = |others: [Option<u64>; 2]| {
            let benchmark = |new: Option<u64>| {
                let other =
                    new.map(|new| (MetricKind::TotalRW, Change::between(count(new), count(200))));
                ExplainedBenchmark { other, ..benchmark(0, None) }
            };
            Causes(others.map(benchmark).into()).lines(None)[1..].join("\n")
        };
        let title = "file::group::benchmark_0";
        let text = "instructions equal, Total read+write";
        let row = |percent: &str| format!("{title} Total read+write {percent}");
        assert_eq!(
            [lines([None, None]), lines([Some(210), Some(210)]), lines([Some(210), Some(220)])],
            [
                format!(
                    "  {NEW}a line{NEW:#}: 2 benchmarks, instructions equal\n    {title}, {title}"
                ),
                format!(
                    "  {NEW}a line{NEW:#}: 2 benchmarks, {text} +5 %\n    {}, {}",
                    row("+5 %"),
                    row("+5 %")
                ),
                format!(
                    "  {NEW}a line{NEW:#}: 2 benchmarks, instructions equal\n    {}, {}",
                    row("+5 %"),
                    row("+10 %")
                ),
            ]
        );
    }

    #[test]
    fn a_list_fits_the_terminal() {
        let causes = Causes((1..=9).map(|number| benchmark(number, Some("f"))).collect());
        let lines = causes.lines(Some(80));
        let start = lines.iter().position(|line| line.starts_with("    also ")).unwrap();
        assert!(lines[start..].iter().all(|line| text_width(line) <= 80), "{lines:#?}");
        assert!(lines[start].contains(", "), "two on a line: {lines:#?}");
    }

    #[test]
    fn a_cause_without_an_explanation_names_its_only_benchmark() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let benchmarks = (1..).zip(names).map(|(number, name)| benchmark(number, Some(name)));
        let lines = Causes(benchmarks.collect()).lines(None);
        let name = format!("{PATH}file::group::benchmark_1{PATH:#}");
        assert_eq!(lines.last(), Some(&format!("  {NEW}a changed{NEW:#}: {name} +1 %")));
    }

    #[test]
    fn causes_of_equal_changes_are_in_natural_order() {
        let causes = ["f_10", "f_9", "f_1"].map(|cause| benchmark(1, Some(cause)));
        let causes = Causes(causes.into());
        let groups = causes.groups();
        let names = groups.iter().map(|group| &*group[0].cause.as_ref().unwrap().name);
        assert_eq!(names.collect::<Vec<_>>(), ["f_1", "f_9", "f_10"]);
    }

    #[test]
    fn broken_limits_come_before_worse_and_better_ones() {
        let of = |category, cause| ExplainedBenchmark { category, ..benchmark(1, Some(cause)) };
        let causes = Causes(vec![
            of(Category::Better, "a"),
            of(Category::Better, "a"),
            of(Category::Worse, "b"),
            of(Category::Regressed, "c"),
        ]);
        let order: Vec<_> = causes.groups().iter().map(|group| group[0].category).collect();
        assert_eq!(order, [Category::Regressed, Category::Worse, Category::Better]);
    }

    #[test]
    fn the_cause_of_the_worst_change_comes_first_and_then_that_of_most_benchmarks() {
        let causes = Causes(vec![
            benchmark(5, Some("e")),
            benchmark(9, Some("f")),
            benchmark(1, Some("g")),
            benchmark(2, Some("g")),
            benchmark(6, None),
        ]);
        let titles: Vec<_> = causes.lines(None);
        let titles: Vec<_> = titles
            .iter()
            .filter(|line| line.contains("benchmark, ") || line.contains("benchmarks, "))
            .collect();
        assert_eq!(
            titles,
            [
                &format!("  {NEW}f changed{NEW:#}: 1 benchmark, +9 %"),
                &format!("  {NEW}g changed{NEW:#}: 2 benchmarks, +1 % to +2 %"),
                &format!("  {NEW}a line{NEW:#}: 1 benchmark, +6 %"),
                &format!("  {NEW}e changed{NEW:#}: 1 benchmark, +5 %"),
            ]
        );
    }
}
