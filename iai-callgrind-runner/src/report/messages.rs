//! What is said besides the results, on the standard error.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::{Finished, Reporter, Tally};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WORSE: Style = AnsiColor::BrightRed.on_default().bold();

/// Tells of failures, and where the results are for machines also what people want to know.
pub(super) struct Messages<E: Write> {
    pub(super) errors: E,
    /// Whether the results themselves are for machines.
    pub(super) for_machines: bool,
    /// Whether nobody else tells how the run ended.
    pub(super) is_alone: bool,
}

impl<E: Write> Messages<E> {
    /// What the benchmark printed, when the user asked for it, and the limits that it broke.
    fn besides_results(&mut self, result: &Finished<'_>) -> io::Result<()> {
        let title = result.benchmark;
        for tool in result.tools {
            if let Some(output) = tool.kept().output.as_deref().filter(|it| !it.is_empty()) {
                writeln!(self.errors, "{title}")?;
                self.errors.write_all(output)?;
            }
            for regression in &tool.regressions {
                writeln!(
                    self.errors,
                    "{WORSE}Performance has regressed{WORSE:#}: {title}: {regression}"
                )?;
            }
        }
        Ok(())
    }
}

// Nobody can be told that the standard error can't be written
impl<E: Write> Reporter for Messages<E> {
    fn result(&mut self, result: &Finished<'_>) {
        if self.for_machines {
            let _ = self.besides_results(result);
        }
    }

    fn hook_failure(&mut self, error: &Error) {
        let _ = writeln!(self.errors, "{ERROR}error{ERROR:#}: {error}");
    }

    fn failure(&mut self, benchmark: &Benchmark, error: &Error) {
        let title = benchmark.title_in_text();
        let _ = writeln!(self.errors, "{ERROR}error{ERROR:#}: {title}: {error}");
    }

    fn end(&mut self, tally: &Tally) -> Result<()> {
        if let (Some(signal), true) = (tally.interrupted, self.is_alone) {
            let Tally { selected, finished, .. } = tally;
            let error = Error::Interrupted { signal };
            let ran = format!("{finished} of {selected} benchmarks ran");
            let _ = writeln!(self.errors, "{ERROR}error{ERROR:#}: {error}: {ran}");
        }
        Ok(())
    }
}
