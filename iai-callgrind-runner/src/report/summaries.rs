//! Reports that are made of summaries: on the standard output, in files, and beside the results.

use std::io::{self, Write};

use iai_callgrind_summary::Summary;

use super::{Context, Finished, Reporter, Tally};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::format::{Document, Format, Reports};

/// Makes summaries of the results and writes the reports.
pub(super) struct Summaries {
    context: Context,
    reports: Reports,
    finished: Vec<Summary>,
    hook_failures: Vec<String>,
    /// The first error of a summary that could not be saved.
    error: Option<Error>,
}

impl Summaries {
    /// It is an error if a file that a report shall go to can't be written.
    pub(super) fn new(context: Context, mut reports: Reports) -> Result<Self> {
        reports.in_files =
            reports.in_files.iter().map(|it| it.of_file(&context.package, &context.file)).collect();
        reports.in_files.iter().try_for_each(|file| file.check(&context.groups))?;
        let (finished, hook_failures) = (Vec::new(), Vec::new());
        Ok(Self { context, reports, finished, hook_failures, error: None })
    }

    fn push(&mut self, benchmark: &Benchmark, summary: Summary) {
        if let Some(format) = self.reports.saved {
            let saved = benchmark.files.write_summary(&format.each(&summary).unwrap_or_default());
            self.error = self.error.take().or(saved.err());
        }
        if let Some(piece) = self.reports.on_stdout.and_then(|format| format.each(&summary)) {
            print(&piece);
        }
        self.finished.push(summary);
    }
}

impl Reporter for Summaries {
    fn result(&mut self, result: &Finished<'_>) {
        let summary = self.context.finished(result);
        self.push(result.benchmark, summary);
    }

    fn hook_failure(&mut self, error: &Error) {
        self.hook_failures.push(error.to_string());
    }

    fn failure(&mut self, benchmark: &Benchmark, error: &Error) {
        // Errors that a tool found were told with the result
        if self.finished.last().is_none_or(|last| last.name != benchmark.name()) {
            let summary = self.context.failed(benchmark, error);
            self.push(benchmark, summary);
        }
    }

    fn end(&mut self, tally: &Tally) -> Result<()> {
        let Self { finished: summaries, hook_failures, .. } = self;
        let document = Document { summaries, hook_failures, seconds: Some(tally.seconds) };
        if let Some(whole) = self.reports.on_stdout.and_then(|format| format.whole(&document)) {
            print(&whole);
        }
        for file in &self.reports.in_files {
            file.write(&file.format.document(&document))?;
        }
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Prints the report of summaries that were there already.
pub(crate) fn print_document(format: &Format, summaries: &[Summary]) {
    print(&format.document(&Document { summaries, hook_failures: &[], seconds: None }));
}

/// Prints a piece of a report. A closed pipe is no reason to lose the results of the benchmarks that are
/// still to run, so errors of the stream are ignored.
fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}
