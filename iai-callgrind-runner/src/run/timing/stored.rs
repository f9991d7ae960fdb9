//! Times that are kept after a run, and those of an earlier run that they are shown with.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::kept::keep;
use crate::benchmark::{Benchmark, no_baseline};
use crate::error::{Error, Result};
use crate::output::{OutputDirectory, Slot, StoredTime, Transaction};
use crate::report::time_summary;
use crate::settings::Settings;
use crate::time::BenchmarkTime;

/// The times of a run that are to be kept.
pub(crate) struct NewTimes<'a> {
    settings: &'a Settings,
    /// The start of the run in UTC.
    measured: String,
    times: Vec<(&'a Benchmark, StoredTime)>,
    /// The executable with the functions, if there is one.
    executable: Option<PathBuf>,
    /// The error that ended the measurement early.
    pub(super) error: Option<Error>,
}

impl<'a> NewTimes<'a> {
    /// Starts a run of this executable.
    pub(crate) fn of_run(settings: &'a Settings, executable: Option<&str>) -> Self {
        let measured = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let executable = executable.map(PathBuf::from);
        Self { settings, measured, times: Vec::new(), executable, error: None }
    }

    /// Adds the time of a benchmark.
    pub(super) fn add(&mut self, benchmark: &'a Benchmark, time: &BenchmarkTime) {
        let other = time.comparison.as_ref().map(|_| self.settings.mode.old.name().to_owned());
        let time = time_summary(time, None);
        self.times.push((benchmark, StoredTime { measured: self.measured.clone(), other, time }));
    }

    /// Returns `true` if one of them is that of a function.
    fn has_functions(&self) -> bool {
        self.times.iter().any(|(benchmark, _)| benchmark.command().is_none())
    }

    /// Stores them, all or none, and keeps the executable. The error that ended the measurement early is one of those that it
    /// returns.
    pub(crate) fn store(mut self) -> Result<()> {
        let errors = self.error.take().into_iter();
        Error::all(errors.chain(self.place().err()).collect())
    }

    fn place(self) -> Result<()> {
        if let Some(executable) = self.executable.as_deref().filter(|_| self.has_functions()) {
            keep(executable, self.settings)?;
        }
        let Self { settings, times, .. } = self;
        if times.is_empty() {
            return Ok(());
        }
        let output = OutputDirectory::open(&settings.home, &settings.directory)?;
        let staging = output.staging()?;
        let mut renames = Transaction::new(&staging.path().join("times"));
        for (number, (benchmark, time)) in times.into_iter().enumerate() {
            let file = staging.path().join(format!("time.{number}"));
            let write = || fs::write(&file, serde_json::to_vec(&time)?);
            write().map_err(Error::io("write", &file))?;
            benchmark.files.place_time(file, &settings.mode.new, &mut renames)?;
        }
        renames.commit()
    }
}

/// Returns an error if no benchmark has a time in the slot that times are shown with. A filter that selects none is not one.
pub(super) fn check_baseline(benchmarks: &[Benchmark], slot: Option<&Slot>) -> Result<()> {
    match slot {
        Some(slot @ Slot::Baseline(name))
            if !benchmarks.is_empty()
                && !benchmarks.iter().any(|benchmark| benchmark.files.has_time(slot)) =>
        {
            Err(no_baseline(name, benchmarks).into())
        }
        _ => Ok(()),
    }
}
