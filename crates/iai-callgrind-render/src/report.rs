//! Reports: everything that a run prints or writes for the user. Only this module prints results.

mod annotation;
mod causes;
mod changes;
mod event;
mod explanation;
mod group_tables;
mod growth;
mod libtest;
mod messages;
mod metric_lines;
mod note;
mod options;
mod print;
mod progress;
mod regressions;
mod rows;
mod slow;
mod snapshot;
mod stored;
mod style;
mod summaries;
mod summarize;
mod terminal;
mod time;
mod values;

use std::io::Write;

use iai_callgrind_base::console::{Console, Width, stderr_width, stdout_width};

pub use self::annotation::{
    Annotated, AnnotatedBenchmark, AnnotatedSource, LineOrder, print_annotations,
};
use self::event::Reporter;
pub use self::event::{Event, Tally};
pub use self::explanation::{
    ExplainedChange, machine_values as summary_machine_values, print_explanations,
    summary as explanation_summary,
};
use self::libtest::Libtest;
use self::messages::Messages;
pub use self::options::{ReportOptions, Show};
pub use self::print::{print, print_text, print_written};
use self::progress::Progress;
pub use self::regressions::print_regressions;
pub use self::snapshot::{SnapshotReport, print_snapshot};
pub use self::stored::{
    Cell, Comparison, ComparisonRow, ListRow, metric_title, print_baselines, print_comparison,
    print_exported, print_imported, print_line, print_list, print_paths, print_removed,
};
use self::summaries::Summaries;
pub use self::summaries::print_document;
pub use self::summarize::{Compared, Context, baselines};
use self::terminal::Terminal;
pub use self::time::summary as time_summary;
use crate::error::Result;

/// All reporters of a run.
pub struct Report {
    reporters: Vec<Box<dyn Reporter>>,
    has_progress: bool,
    progress: Option<Progress>,
}

impl Report {
    /// Creates the reporters that the options ask for.
    ///
    /// # Errors
    ///
    /// Returns an error if a report file cannot be written.
    #[expect(clippy::disallowed_methods, reason = "`new` puts the console before the streams")]
    pub fn of_run(context: Context, options: &ReportOptions) -> Result<Self> {
        let output = (anstream::stdout(), stdout_width as Width);
        let errors = (anstream::stderr(), stderr_width as Width);
        let report = Self::new(output, errors, context, options)?;
        Ok(Self { has_progress: true, ..report })
    }

    /// Creates the reporters that the options ask for, which print results and messages to these streams of these widths.
    fn new(
        (output, width): (impl Write + 'static, Width),
        (errors, errors_width): (impl Write + 'static, Width),
        context: Context,
        options: &ReportOptions,
    ) -> Result<Self> {
        let for_machines = options.reports.on_stdout.is_some();
        let is_alone = for_machines || !options.summary;
        let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
        if !for_machines {
            reporters.push(Box::new(Terminal::new(output, width, options)));
        }
        let errors = Console::new(errors).wrapped_at(errors_width);
        let messages = Messages { errors, for_machines, is_alone };
        reporters.push(Box::new(messages));
        if options.reports.need_summaries() {
            reporters.push(Box::new(Summaries::new(context, options)?));
        }
        Ok(Self { reporters, has_progress: false, progress: None })
    }

    /// Creates the reporters that the options ask for, which print to this stream.
    pub fn to_stream(
        stream: impl Write + Clone + 'static,
        context: Context,
        options: &ReportOptions,
    ) -> Result<Self> {
        let stream = (stream, (|| None) as Width);
        Self::new(stream.clone(), stream, context, options)
    }

    /// Creates the report of test mode, in the format of libtest.
    pub fn of_tests(number: usize, filtered_out: usize) -> Self {
        let libtest: Box<dyn Reporter> = Box::new(Libtest::new(number, filtered_out));
        Self { reporters: vec![libtest], has_progress: false, progress: None }
    }

    /// Shows a progress line on a terminal until the report is finished.
    pub fn start_progress(&mut self, measurements: usize) {
        self.progress = self.has_progress.then(|| Progress::new(measurements));
    }

    /// Removes the progress line.
    pub fn end_progress(&mut self) {
        self.progress = None;
    }

    /// Passes an event to all reporters.
    pub fn receive(&mut self, event: &Event<'_>) {
        let reporters = &mut self.reporters;
        let mut pass = || reporters.iter_mut().for_each(|reporter| reporter.receive(event));
        match &self.progress {
            Some(progress) => progress.receive(event, pass),
            None => pass(),
        }
    }

    /// Completes the reports.
    pub fn finish(mut self, tally: &Tally) -> Result<()> {
        self.end_progress();
        // An error of one report does not keep the others from being written
        let finish = |reporter: &mut Box<dyn Reporter>| reporter.finish(tally);
        let finished: Vec<_> = self.reporters.iter_mut().map(finish).collect();
        finished.into_iter().collect()
    }
}
