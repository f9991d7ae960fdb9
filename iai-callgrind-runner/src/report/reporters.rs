//! All that a run is reported to.

use super::messages::Messages;
use super::summaries::Summaries;
use super::terminal::Terminal;
use super::{Context, Finished, Reporter, Tally};
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::settings::Settings;

/// Reporters reporters as one.
pub(crate) struct Reporters(Vec<Box<dyn Reporter>>);

impl Reporters {
    /// What the settings ask for. It is an error if a file that a report shall go to can't be written.
    pub(crate) fn of_run(context: Context, settings: &Settings) -> Result<Self> {
        let for_machines = settings.reports.on_stdout.is_some();
        let is_alone = for_machines || !settings.summary;
        let messages = Messages { errors: anstream::stderr(), for_machines, is_alone };
        let mut reporters: Vec<Box<dyn Reporter>> = vec![Box::new(messages)];
        if !for_machines {
            reporters.push(Box::new(Terminal::new(anstream::stdout(), settings)));
        }
        if settings.reports.need_summaries() {
            reporters.push(Box::new(Summaries::new(context, settings.reports.clone())?));
        }
        Ok(Self(reporters))
    }
}

impl Reporter for Reporters {
    fn result(&mut self, result: &Finished<'_>) {
        self.0.iter_mut().for_each(|reporter| reporter.result(result));
    }

    fn hook_failure(&mut self, error: &Error) {
        self.0.iter_mut().for_each(|reporter| reporter.hook_failure(error));
    }

    fn failure(&mut self, benchmark: &Benchmark, error: &Error) {
        self.0.iter_mut().for_each(|reporter| reporter.failure(benchmark, error));
    }

    fn end(&mut self, tally: &Tally) -> Result<()> {
        self.0.iter_mut().try_for_each(|reporter| reporter.end(tally))
    }
}
