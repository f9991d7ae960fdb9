//! Reports that consist of summaries: on the standard output, in files, and next to the results.

use std::collections::HashMap;

use iai_callgrind_base::{FileError, console};
use iai_callgrind_results::Benchmark;
use iai_callgrind_store::{Files, StoredTime};
use iai_callgrind_summary::{Status, Summary};
use iai_callgrind_timing::BenchmarkTime;

use super::event::{Event, Reporter, Tally};
use super::options::ReportOptions;
use super::summarize::Context;
use super::time;
use crate::error::{Error, Result};
use crate::format::{Document, Format, Reports};

/// Converts results to summaries and writes the reports.
pub(super) struct Summaries {
    context: Context,
    reports: Reports,
    finished: Vec<Summary>,
    hook_failures: Vec<String>,
    /// The number of calls in an amount of data.
    calls: u16,
    /// The summaries that wait for their times, if benchmarks are timed.
    waiting: Option<Waiting>,
    /// The first error of saving or printing a summary.
    error: Option<Error>,
}

/// Summaries with the places where they are written.
#[derive(Default)]
struct Waiting {
    summaries: Vec<(Files, Summary)>,
    /// Their indexes by the names of the benchmarks.
    indexes: HashMap<String, usize>,
}

impl Summaries {
    /// Creates the reporter.
    ///
    /// # Errors
    ///
    /// Returns an error if a report file cannot be written.
    pub(super) fn new(context: Context, options: &ReportOptions) -> Result<Self> {
        let (reports, calls) = (options.reports.clone(), options.calls);
        reports.in_files.iter().try_for_each(|file| file.check(&context.groups))?;
        let (finished, hook_failures) = (Vec::new(), Vec::new());
        let waiting = options.is_timed.then(Waiting::default);
        Ok(Self { context, reports, calls, finished, hook_failures, waiting, error: None })
    }

    /// Writes a summary, or keeps it until its time is known.
    fn push(&mut self, benchmark: &Benchmark, summary: Summary) {
        if let Some(known) = self.waiting(benchmark) {
            // It was counted, and could not be timed
            (known.status, known.error) = (summary.status, summary.error);
            return;
        }
        match &mut self.waiting {
            Some(Waiting { summaries, indexes }) => {
                indexes.insert(summary.name.clone(), summaries.len());
                summaries.push((benchmark.files.clone(), summary));
            }
            None => self.write(&benchmark.files, summary),
        }
    }

    /// Returns the summary of a benchmark that waits for its time.
    fn waiting(&mut self, benchmark: &Benchmark) -> Option<&mut Summary> {
        let Waiting { summaries, indexes } = self.waiting.as_mut()?;
        summaries.get_mut(*indexes.get(&benchmark.name())?).map(|(_, summary)| summary)
    }

    /// Adds the time of a benchmark, which can have been counted before.
    fn add_time(
        &mut self,
        benchmark: &Benchmark,
        time: &BenchmarkTime,
        stored: Option<&StoredTime>,
    ) {
        let time = Some(time::summary(benchmark, self.calls, time, stored));
        let has_regressed = time.as_ref().is_some_and(|time| time.exceeded_limit.is_some());
        match self.waiting(benchmark) {
            Some(summary) => {
                if has_regressed && summary.status == Status::Ok {
                    summary.status = Status::Regressed;
                }
                summary.time = time;
            }
            None => self.push(benchmark, Summary { time, ..self.context.timed(benchmark) }),
        }
    }

    fn write(&mut self, files: &Files, summary: Summary) {
        if let Some(format) = self.reports.saved {
            let saved = files.write_summary(&format.each(&summary).unwrap_or_default());
            self.error = self.error.take().or(saved.err().map(Error::from));
        }
        if let Some(piece) = self.reports.on_stdout.and_then(|format| format.each(&summary)) {
            self.error = self.error.take().or(print(&piece).err());
        }
        self.finished.push(summary);
    }
}

impl Reporter for Summaries {
    fn receive(&mut self, event: &Event<'_>) {
        match event {
            Event::Finished(result) => {
                self.push(result.benchmark, self.context.finished(result));
            }
            Event::Failed { benchmark, error } => {
                self.push(benchmark, self.context.failed(benchmark, error));
            }
            Event::Timed { benchmark, time, stored } => self.add_time(benchmark, time, *stored),
            Event::HookFailed(error) => self.hook_failures.push(error.to_string()),
            _ => {}
        }
    }

    fn finish(&mut self, tally: &Tally) -> Result<()> {
        for (files, summary) in self.waiting.take().unwrap_or_default().summaries {
            self.write(&files, summary);
        }
        let Self { finished: summaries, hook_failures, .. } = self;
        let document = Document { summaries, hook_failures, seconds: Some(tally.seconds) };
        // Formats with an object for each benchmark have no other place for these failures
        let failed_hooks =
            (!hook_failures.is_empty()).then(|| self.context.failed_hooks(hook_failures));
        let of_hooks =
            |format: &Format| failed_hooks.as_ref().and_then(|summary| format.each(summary));
        let end = self
            .reports
            .on_stdout
            .and_then(|format| format.whole(&document).or_else(|| of_hooks(format)));
        let printed = end.map_or(Ok(()), |end| print(&end));
        for file in &self.reports.in_files {
            let hooks = of_hooks(file.format).unwrap_or_default();
            file.write(&(file.format.document(&document) + &hooks))?;
        }
        self.error.take().map_or(printed, Err)
    }
}

/// Prints a report of existing summaries.
pub fn print_document(format: &Format, summaries: &[Summary]) -> Result<()> {
    print(&format.document(&Document { summaries, hook_failures: &[], seconds: None }))
}

/// Prints a piece of a report.
fn print(text: &str) -> Result<()> {
    Ok(FileError::of_output(console::write_document(text))?)
}
