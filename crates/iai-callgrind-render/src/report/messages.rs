//! Messages on the standard error: failures and, if the results are for machines, regressions and output.

use std::fmt::Display;
use std::io::{self, Write};

use iai_callgrind_base::console::Console;
use iai_callgrind_base::console::style::{ERROR, WORSE};
use iai_callgrind_explain::in_words;
use iai_callgrind_process::ProcessError;
use iai_callgrind_results::BenchmarkResult;

use super::event::{Event, Reporter, Tally};
use super::note::Note;
use crate::error::Result;

/// Prints failures.
pub(super) struct Messages<E: Write> {
    pub(super) errors: Console<E>,
    /// The results on the standard output are for machines.
    pub(super) for_machines: bool,
    /// No other reporter prints the end of the run.
    pub(super) is_alone: bool,
}

impl<E: Write> Messages<E> {
    /// Prints the captured output and the regressions of a benchmark.
    fn result(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        let title = result.benchmark;
        for tool in &result.tools {
            let output = tool.new.output.as_deref();
            if let Some(output) = output.filter(|output| !output.is_empty()) {
                writeln!(self.errors, "{title}")?;
                self.errors.write_captured(output)?;
            }
            for regression in &tool.regressions {
                writeln!(self.errors, "{WORSE}limit exceeded{WORSE:#}: {title}: {regression}")?;
            }
        }
        Ok(())
    }

    /// Prints a note about the values of the machine that are the reason for another count.
    fn varying(&mut self, result: &BenchmarkResult<'_>) {
        for tool in result.tools.iter().filter(|tool| !tool.varies_with.is_empty()) {
            let (title, values) = (&result.benchmark.title_in_text(), &in_words(&tool.varies_with));
            // As below
            let _ = writeln!(self.errors, "{}", Note::Varies { title, values });
        }
    }

    fn failure(&mut self, title: &str, error: impl Display) {
        // An error on the standard error cannot be reported anywhere
        let _ = writeln!(self.errors, "{ERROR}error{ERROR:#}: {title}{error}");
    }
}

impl<E: Write> Reporter for Messages<E> {
    fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Finished(result) => {
                if self.for_machines {
                    let _ = self.result(result);
                }
                self.varying(result);
                let title = format!("{}: ", result.benchmark.title_in_text());
                result.errors().iter().for_each(|error| self.failure(&title, error));
            }
            Event::Failed { benchmark, error } => {
                self.failure(&format!("{}: ", benchmark.title_in_text()), error);
            }
            Event::HookFailed(error) => self.failure("", error),
            _ => {}
        }
    }

    fn finish(&mut self, tally: &Tally) -> Result<()> {
        if let (Some(signal), true) = (tally.interrupted, self.is_alone) {
            let Tally { selected, finished, .. } = tally;
            let error = ProcessError::Interrupted { signal };
            let ran = format!("{finished} of {selected} benchmarks ran");
            let _ = writeln!(self.errors, "{ERROR}error{ERROR:#}: {error}: {ran}");
        }
        Ok(())
    }
}
