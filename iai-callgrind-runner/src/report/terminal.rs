//! The results as text.
//!
//! Services that read this from the output of CI jobs want a name with at least two `::`, directly
//! followed by lines that begin with two spaces and hold `Label: new|old (change)`.

use std::cmp::Ordering;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use iai_callgrind_plan::metric::{EventKind, Metrics};

use super::{Finished, Reporter, Spread, Tally, ToolResult};
use crate::benchmark::Benchmark;
use crate::compare::{Change, Regression};
use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::tool::ProcessMetrics;

pub(crate) const PATH: Style = AnsiColor::Green.on_default();
const ID: Style = AnsiColor::Cyan.on_default();
const ARGUMENTS: Style = AnsiColor::Blue.on_default().bold();
pub(crate) const NEW: Style = Style::new().bold();
pub(crate) const FAINT: Style = AnsiColor::BrightBlack.on_default();
pub(crate) const WORSE: Style = AnsiColor::BrightRed.on_default().bold();
pub(crate) const BETTER: Style = AnsiColor::BrightGreen.on_default().bold();

/// The width of the labels with the two spaces before them and the colon behind them.
const LABEL_WIDTH: usize = 17;
/// The width of each of the two values.
const VALUE_WIDTH: usize = 16;

/// The width of a line with values, as far as it is the same for all of them: with two spaces before the
/// label, a bar between the values and two brackets around the change.
const HEADLINE_WIDTH: usize = 2 + LABEL_WIDTH + VALUE_WIDTH + 1 + VALUE_WIDTH + 11;

/// Writes results to a stream.
pub(super) struct Terminal<O: Write> {
    output: O,
    /// Whether only comparisons are shown where functions are compared by id.
    only_comparison: bool,
    /// Whether there is a closing line.
    has_summary: bool,
    /// The benchmarks that broke limits, to be told again at the end.
    regressions: Vec<(String, Vec<Regression>)>,
}

impl<O: Write> Terminal<O> {
    /// A reporter that writes to this.
    pub(super) fn new(output: O, settings: &Settings) -> Self {
        Self {
            output,
            only_comparison: settings.only_comparison,
            has_summary: settings.summary,
            regressions: Vec::new(),
        }
    }

    /// Title, values and what they are compared with.
    fn results(&mut self, result: &Finished<'_>) -> io::Result<()> {
        let Finished { benchmark, tools, comparisons } = *result;
        let is_left_out = self.only_comparison && benchmark.is_compared;
        if is_left_out && comparisons.is_empty() {
            return Ok(());
        }
        self.title(benchmark)?;
        for tool in tools {
            self.benchmarks_output(tool.kept().output.as_deref())?;
            if !is_left_out {
                self.headline(tools, tool)?;
                self.counted(benchmark, tool)?;
                self.spread(tool)?;
            }
        }
        self.comparisons(result)
    }

    fn title(&mut self, benchmark: &Benchmark) -> io::Result<()> {
        let (path, case) = (&benchmark.path, case(benchmark));
        writeln!(self.output, "{PATH}{path}{PATH:#}{case}")
    }

    /// The tool's name, if there are several.
    fn headline(&mut self, tools: &[ToolResult<'_>], tool: &ToolResult<'_>) -> io::Result<()> {
        if tools.len() == 1 {
            return Ok(());
        }
        let name = tool.options.tool.name.to_uppercase();
        let line = format!("  ======= {name} ");
        writeln!(self.output, "{FAINT}{line:=<HEADLINE_WIDTH$}{FAINT:#}")
    }

    /// What the benchmark itself printed, when the user asked for it.
    fn benchmarks_output(&mut self, output: Option<&[u8]>) -> io::Result<()> {
        let Some(output) = output else { return Ok(()) };
        self.output.write_all(output)?;
        if !output.is_empty() && !output.ends_with(b"\n") {
            writeln!(self.output)?;
        }
        writeln!(self.output, "{FAINT}- end of stdout/stderr{FAINT:#}")
    }

    /// What was counted; first, if that is to be shown, by the processes and threads one by one.
    fn counted(&mut self, benchmark: &Benchmark, tool: &ToolResult<'_>) -> io::Result<()> {
        let style = Lines { shown: &tool.options.metrics, tolerance: benchmark.options.tolerance };
        let new = tool.kept();
        if benchmark.options.show_intermediate && !new.parts.is_empty() {
            let old = tool.old.map_or(&[][..], |old| &old.parts);
            for (index, part) in new.parts.iter().enumerate() {
                self.part(style, part, old.get(index))?;
            }
            writeln!(self.output, "  ## Total")?;
        }
        self.metrics(style, &new.total, tool.old.map(|old| &old.total))
    }

    fn part(
        &mut self,
        style: Lines<'_>,
        new: &ProcessMetrics,
        old: Option<&ProcessMetrics>,
    ) -> io::Result<()> {
        let name = |part: &ProcessMetrics| match part.thread {
            Some(thread) => format!("pid: {} thread: {thread}", part.pid),
            None => format!("pid: {}", part.pid),
        };
        let (new_name, old_name) = (name(new), old.map_or_else(|| "N/A".to_owned(), name));
        let width = LABEL_WIDTH + VALUE_WIDTH;
        writeln!(self.output, "  {:<width$}|{old_name}", format!("## {new_name}"))?;
        writeln!(self.output, "  {:<LABEL_WIDTH$}{}", "Command:", new.command)?;
        self.metrics(style, &new.metrics, old.map(|old| &old.metrics))
    }

    fn metrics(
        &mut self,
        style: Lines<'_>,
        new: &Metrics,
        old: Option<&Metrics>,
    ) -> io::Result<()> {
        for (kind, value) in new.lines_of(style.shown) {
            let old = old.and_then(|old| old.get(kind));
            let label = format!("{}:", kind.label());
            let old_text = old.map_or_else(|| "N/A".to_owned(), |old| old.to_string());
            let change = colored(Change::between(Some(value), old), style.tolerance);
            // A label that is too long takes of the space before the value
            let width = (LABEL_WIDTH + VALUE_WIDTH).saturating_sub(label.len()).min(VALUE_WIDTH);
            writeln!(
                self.output,
                "  {label:<LABEL_WIDTH$}{NEW}{value:>width$}{NEW:#}|{old_text:<VALUE_WIDTH$}{change}"
            )?;
        }
        self.output.flush()
    }

    /// How far the values lie apart under different seeds.
    fn spread(&mut self, tool: &ToolResult<'_>) -> io::Result<()> {
        let seeds = tool.seeds;
        let [first, _, ..] = seeds else { return Ok(()) };
        let number = seeds.len();
        writeln!(self.output, "  {FAINT}Minimum, median, maximum of {number} seeds{FAINT:#}")?;
        for (kind, _) in first.total.lines_of(&tool.options.metrics) {
            let Some(spread) = Spread::of(seeds, kind) else { continue };
            let Spread { minimum, median, maximum } = spread;
            let label = format!("{}:", kind.label());
            writeln!(
                self.output,
                "  {label:<LABEL_WIDTH$}{minimum:>VALUE_WIDTH$} {median:>VALUE_WIDTH$} \
                 {maximum:>VALUE_WIDTH$}"
            )?;
        }
        self.output.flush()
    }

    /// The other benchmarks, each with its values as the new ones and these as the old ones.
    fn comparisons(&mut self, result: &Finished<'_>) -> io::Result<()> {
        let tolerance = result.benchmark.options.tolerance;
        for (other, its) in result.comparisons {
            let (name, case) = (&other.function, case(other));
            writeln!(self.output, "  {FAINT}Comparison with{FAINT:#} {PATH}{name}{PATH:#}{case}")?;
            for this in result.tools {
                let found = its.iter().find(|(tool, _)| *tool == this.options.tool.name);
                if let Some((_, metrics)) = found {
                    self.headline(result.tools, this)?;
                    let style = Lines { shown: &this.options.metrics, tolerance };
                    self.metrics(style, metrics, Some(&this.kept().total))?;
                }
            }
        }
        Ok(())
    }

    fn regressions(&mut self, benchmark: &Benchmark, tools: &[ToolResult<'_>]) -> io::Result<()> {
        let regressions: Vec<_> = tools.iter().flat_map(|tool| &tool.regressions).collect();
        if regressions.is_empty() {
            return Ok(());
        }
        for regression in &regressions {
            writeln!(self.output, "{WORSE}Performance has regressed{WORSE:#}: {regression}")?;
        }
        let regressions = regressions.into_iter().cloned().collect();
        self.regressions.push((benchmark.to_string(), regressions));
        self.output.flush()
    }

    /// All broken limits once more. No line begins like the title of a benchmark.
    fn regressions_again(&mut self) -> io::Result<()> {
        if self.regressions.is_empty() {
            return Ok(());
        }
        writeln!(self.output, "\nRegressions:")?;
        for (title, regressions) in std::mem::take(&mut self.regressions) {
            writeln!(self.output, "\n  {PATH}{title}{PATH:#}")?;
            for regression in regressions {
                writeln!(self.output, "    {regression}")?;
            }
        }
        Ok(())
    }

    fn summary(&mut self, tally: &Tally) -> io::Result<()> {
        if !self.has_summary {
            return Ok(());
        }
        let Tally { selected, finished, failed, hooks_failed, regressed, interrupted, seconds } =
            *tally;
        let (style, verdict) = match (interrupted, failed + hooks_failed, regressed) {
            (Some(_), ..) => (WORSE, "Interrupted"),
            (_, 0, 0) => (BETTER, "Ok"),
            (_, 0, _) => (WORSE, "Regressed"),
            _ => (WORSE, "Failed"),
        };
        let benchmarks = if finished == 1 { "benchmark" } else { "benchmarks" };
        let benchmarks = match interrupted {
            Some(_) => format!("of {selected} benchmarks"),
            None => benchmarks.to_owned(),
        };
        let failures = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        writeln!(
            self.output,
            "\nIai-Callgrind result: {style}{verdict}{style:#}. {finished} {benchmarks} ran, \
             {regressed} regressed{failures}, in {seconds:.2} s"
        )?;
        self.output.flush()
    }
}

/// Which lines of metrics are shown, and how.
#[derive(Clone, Copy)]
struct Lines<'a> {
    /// The metrics, in this order.
    shown: &'a [EventKind],
    /// A difference up to this percentage is shown as tolerated.
    tolerance: f64,
}

/// Id and arguments in their colours, with a blank before them; empty for a benchmark without id.
fn case(benchmark: &Benchmark) -> String {
    let Some(id) = &benchmark.id else { return String::new() };
    let arguments = benchmark.description();
    format!(" {ID}{id}:{ID:#}{ARGUMENTS}{arguments}{ARGUMENTS:#}")
}

/// The change in its colours, or the word for a small one.
fn colored(change: Change, tolerance: f64) -> String {
    if change.is_within(tolerance) {
        return format!("({FAINT}Tolerance{FAINT:#})");
    }
    let style = match change.direction() {
        None | Some(Ordering::Equal) => FAINT,
        Some(Ordering::Greater) => WORSE,
        Some(Ordering::Less) => BETTER,
    };
    let percentage = format!("({style}{}{style:#})", change.percentage_text());
    match change.factor_text() {
        Some(factor) => format!("{percentage} [{style}{factor}{style:#}]"),
        None => percentage,
    }
}

// A closed pipe is no reason to lose the results of the benchmarks that are still to run, so errors
// of the stream are ignored
impl<O: Write> Reporter for Terminal<O> {
    fn result(&mut self, result: &Finished<'_>) {
        let _ =
            self.results(result).and_then(|()| self.regressions(result.benchmark, result.tools));
    }

    fn hook_failure(&mut self, _: &Error) {}

    fn failure(&mut self, _: &Benchmark, _: &Error) {}

    fn end(&mut self, tally: &Tally) -> Result<()> {
        let _ = self.regressions_again().and_then(|()| self.summary(tally));
        Ok(())
    }
}
