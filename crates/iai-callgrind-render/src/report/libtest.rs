//! Test mode: the output of libtest.

use std::fmt::Display;
use std::io::{self, Write};

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::{self, Console};
use iai_callgrind_process::ProcessError;
use iai_callgrind_results::{Benchmark, BenchmarkResult};

use super::event::{Event, Reporter, Tally};
use crate::error::Result;

/// Prints results as libtest does.
pub(super) struct Libtest {
    output: Console<anstream::Stdout>,
    filtered_out: usize,
}

impl Libtest {
    /// Creates the reporter and prints the number of tests.
    pub(super) fn new(number: usize, filtered_out: usize) -> Self {
        let mut output = console::stdout();
        let tests = if number == 1 { "test" } else { "tests" };
        // libtest ignores a closed pipe, too
        let _ = writeln!(output, "\nrunning {number} {tests}");
        Self { output, filtered_out }
    }

    /// Prints a test that passed, after its output.
    fn passed(&mut self, result: &BenchmarkResult<'_>) -> io::Result<()> {
        for tool in &result.tools {
            self.output.write_captured(tool.new.output.as_deref().unwrap_or_default())?;
        }
        writeln!(self.output, "test {} ... ok", result.benchmark.name())?;
        self.output.flush()
    }

    /// Prints a test that failed. Its error is on the standard error.
    fn failed(&mut self, benchmark: &Benchmark, error: &dyn Display) -> io::Result<()> {
        writeln!(self.output, "test {} ... FAILED", benchmark.name())?;
        self.output.flush()?;
        writeln!(console::stderr(), "error: {}: {error}", benchmark.title_in_text())
    }
}

impl Reporter for Libtest {
    fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Finished(result) => {
                let _ = self.passed(result);
            }
            Event::Failed { benchmark, error } => {
                let _ = self.failed(benchmark, error);
            }
            Event::HookFailed(error) => {
                let _ = writeln!(console::stderr(), "error: {error}");
            }
            _ => {}
        }
    }

    fn finish(&mut self, tally: &Tally) -> Result<()> {
        let Tally { finished, failed, hooks_failed, interrupted, seconds, .. } = *tally;
        if let Some(signal) = interrupted {
            return Err(ProcessError::Interrupted { signal }.into());
        }
        let printed = writeln!(
            self.output,
            "\ntest result: {}. {} passed; {failed} failed; 0 ignored; 0 measured; {} filtered out; \
             finished in {seconds:.2}s\n",
            if failed + hooks_failed == 0 { "ok" } else { "FAILED" },
            finished - failed,
            self.filtered_out,
        );
        Ok(FileError::of_output(printed)?)
    }
}
