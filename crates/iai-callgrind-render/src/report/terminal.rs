//! The results as text.
//!
//! Services that parse the output of CI jobs expect a name with at least two `::`, directly followed by lines that
//! start with two spaces and contain `Label: new|old (change)`.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use iai_callgrind_base::console::style::{ARGUMENTS, BETTER, FAINT, ID, NEW, NOTABLE, PATH, WORSE};
use iai_callgrind_base::{
    FileError,
    console::{Console, Width, one_line},
    note::{counted, plural},
    numbers::grouped,
};
use iai_callgrind_compare::Regression;
use iai_callgrind_plan::Compare;
use iai_callgrind_results::{Benchmark, BenchmarkResult, Mode, Samples, ToolResult};
use iai_callgrind_revisions::head;
use iai_callgrind_store::Slot;
use iai_callgrind_tools::fingerprint::changes_text;

use super::causes::Causes;
use super::changes::{LeadingChange, category};
use super::event::{Event, Reporter, Tally};
use super::group_tables::GroupTables;
use super::growth::{self, BriefCurves};
use super::metric_lines::{HEADLINE_WIDTH, MetricLines, deviation_lines, spread_lines};
use super::options::{ReportOptions, Show};
use super::regressions::write_regressions;
use super::rows::{Rows, varying};
use super::time::TimeTable;
use crate::error::Result;
use crate::format::{Category, Numbers, TextForm};

/// The start of the lines below a title.
const INDENT: &str = "  ";
/// The start of these lines in a grid.
const GRID: &str = "| ";

/// Writes results to a stream.
pub(super) struct Terminal<O: Write> {
    output: Console<O>,
    /// Returns the width of the terminal.
    width: Width,
    /// The lines of benchmarks; `None` for blocks.
    rows: Option<Rows>,
    /// Name of the results that are compared with, in words.
    compared_with: Compared,
    /// The benchmarks whose values are printed.
    show: Show,
    /// The numbers of benchmarks with and without a change.
    numbers: Numbers,
    /// Hides the results of groups that compare by id, but not the comparisons.
    only_comparison: bool,
    /// Shows the spread of several runs without the values of the stored one.
    only_aggregates: bool,
    /// Prints a closing line.
    has_summary: bool,
    /// Name of the baseline that the results are saved as.
    saved_as: Option<String>,
    /// The runs of each benchmark.
    samples: Samples,
    /// The number of benchmarks whose counts differ between their runs.
    varying: usize,
    /// The start of the lines below the title of the current benchmark.
    indent: &'static str,
    /// The change that the verdict names.
    leading: Option<LeadingChange>,
    /// The benchmarks that failed, with the first line of their errors.
    failures: Vec<(String, Vec<String>)>,
    /// The benchmarks that exceed limits, for the list at the end.
    regressions: Vec<(String, Vec<Regression>)>,
    /// The growth with the size of the input, by the names of the curves.
    growth: Vec<(String, Vec<String>)>,
    /// The curves whose formulas are not printed.
    brief_curves: BriefCurves,
    /// The values of groups whose functions have the same inputs.
    groups: GroupTables,
    /// The explanations of changes.
    causes: Causes,
    /// Maximum number of lines of an explanation.
    explanation_lines: usize,
    /// The times of benchmarks.
    times: TimeTable,
    /// The first error of the stream.
    error: Option<FileError>,
}

impl<O: Write> Terminal<O> {
    /// Creates a reporter that writes to this stream, which has this width.
    pub(super) fn new(output: O, width: Width, options: &ReportOptions) -> Self {
        Self {
            output: Console::new(output).wrapped_at(width),
            width,
            rows: (options.reports.text_form == TextForm::Lines).then(Rows::default),
            compared_with: Compared::new(options),
            show: options.show,
            numbers: Numbers::default(),
            only_comparison: options.only_comparison,
            only_aggregates: options.only_aggregates,
            has_summary: options.summary,
            saved_as: saved_as(&options.mode),
            samples: options.samples.clone(),
            varying: 0,
            indent: INDENT,
            leading: None,
            failures: Vec::new(),
            regressions: Vec::new(),
            growth: Vec::new(),
            brief_curves: BriefCurves::default(),
            groups: GroupTables::default(),
            causes: Causes::default(),
            explanation_lines: options.explanation_lines,
            times: TimeTable::new(options.is_timed, options.calls),
            error: None,
        }
    }

    /// Keeps the end of the output for later, and prints the benchmark if it is shown.
    fn result(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let title = result.benchmark.title_in_text();
        self.keep_regressions(&title, result);
        self.keep_growth(result);
        let category = category(result);
        if self.show == Show::All || (self.show == Show::Changed && category.is_change()) {
            self.groups.add(result);
        }
        // Services parse the lines that follow the results
        self.causes.add(result, category, self.explanation_lines);
        self.times.keep_counts(result);
        self.numbers.add(category);
        self.varying += usize::from(result.tools.iter().any(|tool| varying(tool).is_some()));
        self.leading = LeadingChange::add(self.leading.take(), result, category);
        result.errors().iter().for_each(|error| self.keep_failure(&title, error));
        match self.show {
            Show::Summary => Ok(()),
            Show::Changed if !category.is_change() => Ok(()),
            Show::All | Show::Changed => self.benchmark(result),
        }
    }

    /// Prints the commit and what it is compared with.
    fn heading(&mut self, benchmarks: &[Benchmark], has_old: bool) -> io::Result<()> {
        let (Some(rows), Some(first)) = (&mut self.rows, benchmarks.first()) else {
            return Ok(());
        };
        *rows = Rows::new(benchmarks, has_old);
        let number = counted(benchmarks.len(), "benchmark");
        let commit = head(Path::new(".")).map_or_else(String::new, |head| format!(" at {head}"));
        let compared = self.compared_with.comparison(has_old);
        writeln!(self.output, "{PATH}{}{PATH:#}: {number}{commit}, {compared}", first.file)?;
        self.output.flush()
    }

    /// Prints a result as lines.
    fn row(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let width = (self.width)();
        let heading = rows.heading_above(width);
        let lines = rows.lines(result, self.only_comparison, width);
        heading.iter().chain(&lines).try_for_each(|line| writeln!(self.output, "{line}"))?;
        self.label(result)?;
        for tool in &result.tools {
            self.benchmark_output(tool.new.output.as_deref())?;
        }
        self.output.flush()
    }

    /// Prints the title, the values of each tool and the comparisons by id.
    fn benchmark(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let benchmark = result.benchmark;
        let format = &benchmark.options;
        let is_block = format.show_grid || format.show_intermediate || self.only_aggregates;
        if self.rows.is_some() && !is_block {
            return self.row(result);
        }
        let is_hidden = self.only_comparison && benchmark.compare != Compare::No;
        if is_hidden && result.comparisons.is_empty() {
            return Ok(());
        }
        self.indent = if benchmark.options.show_grid { GRID } else { INDENT };
        self.title(benchmark)?;
        for tool in &result.tools {
            self.benchmark_output(tool.new.output.as_deref())?;
            if !is_hidden {
                self.headline(benchmark, tool)?;
                if !self.only_aggregates || tool.others.is_empty() {
                    self.values(benchmark, tool)?;
                }
                self.spread(tool)?;
            }
        }
        self.label(result)?;
        self.comparisons(result)?;
        self.regressions(result.regressions())?;
        if is_hidden { Ok(()) } else { self.processes(result) }
    }

    /// Prints the text that a benchmark sets about itself. Services take a line with a bar for a metric.
    fn label(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let label = result.label().map(|label| one_line(label).replace('|', "/"));
        self.lines(label.map(|label| format!("{FAINT}label{FAINT:#}: {label}")))
    }

    /// Prints the processes that are results of their own, each with its own title.
    fn processes(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let benchmark = result.benchmark;
        for tool in &result.tools {
            let lines = MetricLines::new(tool, benchmark);
            for process in &tool.processes {
                let (path, case) = (benchmark.path(), case(benchmark));
                let name = one_line(&process.name);
                writeln!(self.output, "{PATH}{path}{PATH:#}{case} {ID}[{name}]{ID:#}")?;
                self.headline(benchmark, tool)?;
                self.lines(lines.metrics(&process.new, process.old.as_ref()))?;
                self.regressions(process.regressions.iter())?;
            }
        }
        Ok(())
    }

    fn title(&mut self, benchmark: &Benchmark) -> io::Result<()> {
        let (path, case) = (benchmark.path(), case(benchmark));
        writeln!(self.output, "{PATH}{path}{PATH:#}{case}")
    }

    /// Prints the name of the tool if the benchmark runs under several.
    fn headline(&mut self, benchmark: &Benchmark, tool: &ToolResult<'_>) -> io::Result<()> {
        if benchmark.options.tools.len() == 1 {
            return Ok(());
        }
        let name = tool.options.tool.name.to_uppercase();
        let line = format!("{}======= {name} ", self.indent);
        writeln!(self.output, "{FAINT}{line:=<HEADLINE_WIDTH$}{FAINT:#}")
    }

    /// Prints the captured output of the benchmark.
    fn benchmark_output(&mut self, output: Option<&[u8]>) -> io::Result<()> {
        let Some(output) = output else { return Ok(()) };
        self.output.write_captured(output)?;
        if !output.is_empty() && !output.ends_with(b"\n") {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{FAINT}- end of stdout/stderr{FAINT:#}")
    }

    /// Prints the totals and, before them if configured, the values of each process and thread.
    fn values(&mut self, benchmark: &Benchmark, tool: &ToolResult<'_>) -> io::Result<()> {
        let lines = MetricLines::new(tool, benchmark);
        let new = &tool.new;
        let old = tool.old.as_ref();
        if benchmark.options.show_intermediate && !new.parts.is_empty() {
            let old_parts = old.map_or(&[][..], |old| &old.parts);
            for (index, part) in new.parts.iter().enumerate() {
                self.lines(lines.part(part, old_parts.get(index)))?;
            }
            writeln!(self.output, "{}## Total", self.indent)?;
        }
        self.lines(lines.metrics(&new.total, old.map(|old| &old.total)))
    }

    /// Prints lines below a title.
    fn lines(&mut self, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
        for line in lines {
            writeln!(self.output, "{}{line}", self.indent)?;
        }
        self.output.flush()
    }

    /// Prints the spread of the values if the benchmark ran several times.
    fn spread(&mut self, tool: &ToolResult<'_>) -> io::Result<()> {
        if tool.others.is_empty() {
            return Ok(());
        }
        let heading = format!("{FAINT}Minimum, median, maximum of {}{FAINT:#}", self.samples);
        self.lines(std::iter::once(heading).chain(spread_lines(tool)))?;
        let heading = format!("{FAINT}Mean, standard deviation of {}{FAINT:#}", self.samples);
        self.lines(std::iter::once(heading).chain(deviation_lines(tool)))
    }

    /// Prints the benchmarks with the same id, with their values as the new ones.
    fn comparisons(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let indent = self.indent;
        for (other, totals) in &result.comparisons {
            let (name, case) = (other.function(), case(other));
            writeln!(
                self.output,
                "{indent}{FAINT}Comparison with{FAINT:#} {PATH}{name}{PATH:#}{case}"
            )?;
            for (this, total) in result.compared_with(totals) {
                self.headline(result.benchmark, this)?;
                let lines = MetricLines::new(this, result.benchmark);
                self.lines(lines.metrics(total, Some(&this.new.total)))?;
            }
        }
        Ok(())
    }

    fn regressions<'a>(
        &mut self,
        regressions: impl Iterator<Item = &'a Regression>,
    ) -> io::Result<()> {
        for regression in regressions {
            writeln!(self.output, "{WORSE}limit exceeded{WORSE:#}: {regression}")?;
        }
        self.output.flush()
    }

    /// Keeps the limits that the benchmark with this title exceeds for the end.
    fn keep_regressions(&mut self, title: &str, result: &BenchmarkResult<'_>) {
        let regressions: Vec<_> = result.regressions().cloned().collect();
        if !regressions.is_empty() {
            self.regressions.push((title.to_owned(), regressions));
        }
        for process in result.processes().filter(|process| !process.regressions.is_empty()) {
            let title = format!("{title} [{}]", one_line(&process.name));
            self.regressions.push((title, process.regressions.clone()));
        }
    }

    /// Prints how many benchmarks changed, if not all of them are shown, and for people the worst one.
    fn numbers(&mut self) -> io::Result<()> {
        if (self.show == Show::All && self.rows.is_none()) || self.numbers.is_empty() {
            return Ok(());
        }
        let Some(rows) = &self.rows else {
            return writeln!(self.output, "\n{}", self.numbers.text("the old results"));
        };
        // The heading says that there is nothing to compare with
        if rows.has_old() {
            let numbers = self.numbers.text(&self.compared_with.name);
            writeln!(self.output, "\n{NEW}{numbers}{NEW:#}")?;
            if let Some(leading) = &self.leading {
                writeln!(self.output, "  {leading}")?;
            }
        }
        self.samples()
    }

    /// Prints how many benchmarks have different counts in their runs.
    fn samples(&mut self) -> io::Result<()> {
        let samples = &self.samples;
        match self.varying {
            _ if samples.number() == 1 => Ok(()),
            0 => writeln!(self.output, "\n{samples}: no count varies"),
            varying => {
                let benchmarks = counted(varying, "benchmark");
                writeln!(self.output, "\n{samples}: counts of {benchmarks} vary")
            }
        }
    }

    /// Keeps the first line of an error for the end.
    fn keep_failure(&mut self, title: &str, error: &impl Display) {
        if self.rows.is_some() {
            let line = error.to_string().lines().next().unwrap_or_default().to_owned();
            self.failures.push((title.to_owned(), vec![line]));
        }
    }

    /// Prints the broken limits, except for those in rows above whose causes are below.
    fn broken_limits(&mut self) -> io::Result<()> {
        if self.rows.is_some() && self.show != Show::Summary {
            self.regressions.retain(|(title, _)| !self.causes.cover(title));
        }
        write_regressions(&mut self.output, &self.regressions)
    }

    /// Keeps the growth of a curve for the end.
    fn keep_growth(&mut self, result: &BenchmarkResult<'_>) {
        let Some(growth) = &result.growth else { return };
        let is_shown = match self.show {
            Show::All => growth.is_printed,
            Show::Changed => growth.is_printed && growth::has_changed(growth),
            Show::Summary => false,
        };
        if !is_shown {
            return;
        }
        let is_printed = |curve: &str| self.growth.iter().any(|(printed, _)| printed == curve);
        if self.rows.is_none() || !self.brief_curves.add(growth, is_printed) {
            self.growth.push((growth.curve.clone(), growth::lines(growth)));
        }
    }

    /// Prints a heading, and the lines below each title.
    fn section(&mut self, heading: &str, entries: Vec<(String, Vec<String>)>) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        writeln!(self.output, "\n{heading}:")?;
        for (title, lines) in entries {
            writeln!(self.output, "\n  {PATH}{title}{PATH:#}")?;
            for line in lines {
                writeln!(self.output, "    {line}")?;
            }
        }
        Ok(())
    }

    /// Prints the causes of changes.
    fn causes(&mut self) -> io::Result<()> {
        if self.causes.is_empty() {
            return Ok(());
        }
        writeln!(self.output, "\nCauses:")?;
        self.causes
            .lines((self.width)())
            .iter()
            .try_for_each(|line| writeln!(self.output, "{line}"))
    }

    /// Prints the table of times.
    fn times(&mut self) -> io::Result<()> {
        for line in self.times.lines((self.width)()) {
            writeln!(self.output, "{line}")?;
        }
        Ok(())
    }

    /// Prints the differences of builds and machines.
    fn environment(&mut self, tally: &Tally) -> io::Result<()> {
        if tally.environment.is_empty() {
            return Ok(());
        }
        let changes: Vec<_> = tally.environment.iter().cloned().collect();
        writeln!(
            self.output,
            "\nEnvironment differs from the old results: {}",
            changes_text(&changes)
        )
    }

    fn summary(&mut self, tally: &Tally) -> io::Result<()> {
        if !self.has_summary {
            return Ok(());
        }
        let &Tally {
            selected,
            filtered_out,
            finished,
            failed,
            hooks_failed,
            regressed,
            interrupted,
            differs_from_snapshot,
            seconds,
            ..
        } = tally;
        // Programs read these numbers of blocks
        let number = |number: usize| match &self.rows {
            Some(_) => grouped(number as u64),
            None => number.to_string(),
        };
        let worse = self.numbers.of(Category::Worse);
        let (style, verdict) = match (interrupted, failed + hooks_failed, regressed) {
            (Some(_), ..) => (WORSE, "Interrupted".to_owned()),
            (_, 0, 0) if differs_from_snapshot => (WORSE, "Differs from the snapshot".to_owned()),
            (_, 0, 0) if worse > 0 => (NOTABLE, format!("Ok, {} worse", number(worse))),
            (_, 0, 0) if finished == 0 => (NOTABLE, "Ok".to_owned()),
            (_, 0, 0) => (BETTER, "Ok".to_owned()),
            (_, 0, _) => (WORSE, "Regressed".to_owned()),
            _ => (WORSE, "Failed".to_owned()),
        };
        let (ran, regressed) = (number(finished), number(regressed));
        let benchmarks = match interrupted {
            Some(_) => format!("{ran} of {} benchmarks", number(selected)),
            None if filtered_out > 0 && self.rows.is_some() => {
                format!("{ran} of {} benchmarks", number(finished + filtered_out))
            }
            None => format!("{ran} {}", plural(finished as u64, "benchmark")),
        };
        let failures =
            if failed == 0 { String::new() } else { format!(", {} failed", number(failed)) };
        writeln!(
            self.output,
            "\nIai-Callgrind result: {style}{verdict}{style:#}. {benchmarks} ran, \
             {regressed} regressed{failures}, in {seconds:.2} s"
        )?;
        if let (Some(name), Some(_), true) = (&self.saved_as, &self.rows, finished > failed) {
            let results = counted(finished - failed, "result");
            writeln!(
                self.output,
                "  saved {results} as the baseline `{name}`: compare with --baseline={name}"
            )?;
        }
        self.output.flush()
    }
}

/// Returns the name of the baseline that a run with this mode writes.
fn saved_as(mode: &Mode) -> Option<String> {
    match &mode.new {
        Slot::Baseline(name) if mode.run => Some(name.clone()),
        _ => None,
    }
}

/// The results that those of a run are compared with.
struct Compared {
    name: String,
    is_revision: bool,
}

impl Compared {
    fn new(options: &ReportOptions) -> Self {
        let Mode { run, new, old } = &options.mode;
        let name = match (&options.against, old) {
            (Some(other), _) => other.clone(),
            (None, Slot::Baseline(name)) if *run && new == old => format!("the last `{name}`"),
            (None, Slot::Baseline(name)) => format!("the baseline `{name}`"),
            (None, Slot::Latest | Slot::Old) => "the last run".to_owned(),
        };
        Self { name, is_revision: options.against.is_some() }
    }

    /// Returns the end of the heading. Another revision need not have the benchmarks.
    fn comparison(&self, has_old: bool) -> String {
        let Self { name, is_revision } = self;
        match (has_old, is_revision) {
            (true, _) => format!("compared with {name}"),
            (false, true) => format!("{name} has none of them"),
            (false, false) => "first run, nothing to compare with".to_owned(),
        }
    }
}

/// Returns id and arguments in their colours after a blank; empty for a benchmark without id.
fn case(benchmark: &Benchmark) -> String {
    let Some(id) = &benchmark.id else { return String::new() };
    let arguments = benchmark.description();
    format!(" {ID}{id}:{ID:#}{ARGUMENTS}{arguments}{ARGUMENTS:#}")
}

// Errors of the stream are ignored: a closed pipe must not end the run and lose results
impl<O: Write> Reporter for Terminal<O> {
    fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Selected { benchmarks, has_old } => {
                let printed = FileError::of_output(self.heading(benchmarks, *has_old));
                self.error = self.error.take().or(printed.err());
            }
            Event::Finished(result) => {
                let printed = FileError::of_output(self.result(result));
                self.error = self.error.take().or(printed.err());
            }
            Event::Timed { benchmark, time, stored } => {
                self.times.add(benchmark, time, *stored);
            }
            Event::Failed { benchmark, error } => {
                self.keep_failure(&benchmark.title_in_text(), error);
            }
            Event::HookFailed(error) => self.keep_failure("setup or teardown", error),
            Event::SameCode { number } => self.times.same_code = *number,
            _ => {}
        }
    }

    fn finish(&mut self, tally: &Tally) -> Result<()> {
        let printed = self.numbers();
        let printed = printed.and_then(|()| self.broken_limits());
        let mut growth = std::mem::take(&mut self.growth);
        growth.extend(self.brief_curves.entries());
        let printed = printed.and_then(|()| self.section("Growth", growth));
        let groups = std::mem::take(&mut self.groups).entries((self.width)());
        let printed = printed.and_then(|()| self.section("Groups", groups));
        let printed = printed.and_then(|()| self.causes());
        let printed = printed.and_then(|()| self.times());
        let printed = printed.and_then(|()| self.environment(tally));
        let failures = std::mem::take(&mut self.failures);
        let printed = printed.and_then(|()| self.section("Failures", failures));
        let printed = printed.and_then(|()| self.summary(tally));
        let printed = FileError::of_output(printed.and_then(|()| self.output.flush()));
        Ok(self.error.take().map_or(printed, Err)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_without_the_benchmarks_is_no_first_run() {
        let compared = |is_revision| Compared { name: "HEAD~1".to_owned(), is_revision };
        assert_eq!(compared(true).comparison(true), "compared with HEAD~1");
        assert_eq!(compared(true).comparison(false), "HEAD~1 has none of them");
        assert_eq!(compared(false).comparison(false), "first run, nothing to compare with");
    }
}
