//! The results as text.
//!
//! Services that read this from the output of CI jobs want a name with at least two `::`, directly
//! followed by lines that begin with two spaces and hold `Label: new|old (change)`.

use std::cmp::Ordering;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Finished, Reporter, Tally};
use crate::benchmark::Benchmark;
use crate::compare::{Change, Regression};
use crate::error::Error;
use crate::metric::Metrics;

const PATH: Style = AnsiColor::Green.on_default();
const ID: Style = AnsiColor::Cyan.on_default();
const ARGUMENTS: Style = AnsiColor::Blue.on_default().bold();
const NEW: Style = Style::new().bold();
const FAINT: Style = AnsiColor::BrightBlack.on_default();
const WORSE: Style = AnsiColor::BrightRed.on_default().bold();
const BETTER: Style = AnsiColor::BrightGreen.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The width of the labels with the two spaces before them and the colon behind them.
const LABEL_WIDTH: usize = 17;
/// The width of each of the two values.
const VALUE_WIDTH: usize = 16;

/// Writes results to one stream and failures to another.
pub(crate) struct Terminal<O: Write, E: Write> {
    output: O,
    errors: E,
    /// The benchmarks that broke limits, to be told again at the end.
    regressions: Vec<(String, Vec<Regression>)>,
}

impl<O: Write, E: Write> Terminal<O, E> {
    /// A reporter that writes to these.
    pub(crate) fn new(output: O, errors: E) -> Self {
        Self { output, errors, regressions: Vec::new() }
    }

    fn title(&mut self, benchmark: &Benchmark) -> io::Result<()> {
        let (path, case) = (&benchmark.path, case(benchmark));
        writeln!(self.output, "{PATH}{path}{PATH:#}{case}")
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

    /// The lines of one comparison, for the metrics and with the tolerance of this benchmark.
    fn metrics(
        &mut self,
        of: &Finished<'_>,
        new: &Metrics,
        old: Option<&Metrics>,
    ) -> io::Result<()> {
        for (kind, value) in new.lines_of(of.shown) {
            let old = old.and_then(|old| old.get(kind));
            let label = format!("{}:", kind.label());
            let old_text = old.map_or_else(|| "N/A".to_owned(), |old| old.to_string());
            let change = colored(Change::between(Some(value), old), of.tolerance);
            writeln!(
                self.output,
                "  {label:<LABEL_WIDTH$}{NEW}{value:>VALUE_WIDTH$}{NEW:#}|{old_text:<VALUE_WIDTH$}{change}"
            )?;
        }
        self.output.flush()
    }

    /// The other benchmarks, each with its values as the new ones and this one's as the old ones.
    fn comparisons(&mut self, this: &Finished<'_>) -> io::Result<()> {
        for (other, its) in this.comparisons {
            let (name, case) = (&other.function.name, case(other));
            writeln!(self.output, "  {FAINT}Comparison with{FAINT:#} {PATH}{name}{PATH:#}{case}")?;
            self.metrics(this, its, Some(&this.new.metrics))?;
        }
        Ok(())
    }

    fn regressions(&mut self, benchmark: &Benchmark, regressions: &[Regression]) -> io::Result<()> {
        if regressions.is_empty() {
            return Ok(());
        }
        for regression in regressions {
            writeln!(self.output, "{WORSE}Performance has regressed{WORSE:#}: {regression}")?;
        }
        self.regressions.push((benchmark.to_string(), regressions.to_vec()));
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
        let Tally { finished, failed, regressed, seconds } = *tally;
        let (style, verdict) = match (failed, regressed) {
            (0, 0) => (BETTER, "Ok"),
            (0, _) => (WORSE, "Regressed"),
            _ => (WORSE, "Failed"),
        };
        let benchmarks = if finished == 1 { "benchmark" } else { "benchmarks" };
        let failures = if failed == 0 { String::new() } else { format!(", {failed} failed") };
        writeln!(
            self.output,
            "\nIai-Callgrind result: {style}{verdict}{style:#}. {finished} {benchmarks} ran, \
             {regressed} regressed{failures}, in {seconds:.2} s"
        )?;
        self.output.flush()
    }

    fn error(&mut self, benchmark: &Benchmark, error: &Error) -> io::Result<()> {
        // A title without arguments ends with a colon of its own
        let title = benchmark.to_string();
        let title = title.trim_end_matches(':');
        writeln!(self.errors, "{ERROR}error{ERROR:#}: {title}: {error}")
    }
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
// of the streams are ignored
impl<O: Write, E: Write> Reporter for Terminal<O, E> {
    fn result(&mut self, result: &Finished<'_>) {
        let _ = self
            .title(result.benchmark)
            .and_then(|()| self.benchmarks_output(result.new.output.as_deref()))
            .and_then(|()| self.metrics(result, &result.new.metrics, result.old))
            .and_then(|()| self.comparisons(result))
            .and_then(|()| self.regressions(result.benchmark, result.regressions));
    }

    fn failure(&mut self, benchmark: &Benchmark, error: &Error) {
        let _ = self.error(benchmark, error);
    }

    fn end(&mut self, tally: &Tally) {
        let _ = self.regressions_again().and_then(|()| self.summary(tally));
    }
}
