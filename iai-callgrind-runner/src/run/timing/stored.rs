//! Times that are stored after a run, and stored times that are shown with them.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_render::report::time_summary;
use iai_callgrind_results::Benchmark;
use iai_callgrind_store::{OutputDirectory, Slot, StoredTime, Transaction};
use iai_callgrind_timing::BenchmarkTime;

use super::kept_executable::keep;
use crate::error::{Error, Result};
use crate::resolve::no_baseline;

/// The times that a run stores.
pub(crate) struct NewTimes<'a> {
    settings: &'a Settings,
    /// The start of the run in UTC.
    measured: String,
    times: Vec<(&'a Benchmark, StoredTime)>,
    /// The executable with the functions, if there is one.
    executable: Option<PathBuf>,
    /// Stored times that are shown with the new ones, by the indexes of the benchmarks.
    pub(super) stored: Vec<Option<StoredTime>>,
    /// The error that ended the measurement early.
    pub(super) error: Option<Error>,
}

impl<'a> NewTimes<'a> {
    /// Starts a run of this executable.
    pub(crate) fn of_run(settings: &'a Settings, executable: Option<&str>) -> Self {
        let measured = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let executable = executable.map(PathBuf::from);
        let (times, stored) = (Vec::new(), Vec::new());
        Self { settings, measured, times, executable, stored, error: None }
    }

    /// Reads the stored times to show with those of these benchmarks, if requested.
    ///
    /// # Errors
    ///
    /// Returns an error if one is damaged, or if a baseline has none. A filter that selects no
    /// benchmark is not an error.
    pub(super) fn read_stored(&mut self, benchmarks: &[Benchmark]) -> Result<()> {
        let slot = self.settings.time.as_ref().and_then(|time| time.baseline.as_ref());
        let Some(slot) = slot else { return Ok(()) };
        let stored = benchmarks.iter().map(|benchmark| benchmark.files.read_time(slot));
        self.stored = stored.collect::<Result<_, _>>()?;
        match slot {
            Slot::Baseline(name)
                if !benchmarks.is_empty() && self.stored.iter().all(Option::is_none) =>
            {
                Err(no_baseline(name, benchmarks).into())
            }
            _ => Ok(()),
        }
    }

    /// Adds the time of a benchmark.
    pub(super) fn add(&mut self, benchmark: &'a Benchmark, time: &BenchmarkTime) {
        let other = time.comparison.as_ref().map(|_| self.settings.mode.old.name().to_owned());
        let time = time_summary(benchmark, self.settings.calls, time, None);
        self.times.push((benchmark, StoredTime { measured: self.measured.clone(), other, time }));
    }

    /// Returns `true` if a function has a time.
    fn has_functions(&self) -> bool {
        self.times.iter().any(|(benchmark, _)| benchmark.command().is_none())
    }

    /// Stores all times or none, and keeps the executable after a complete measurement. The
    /// returned errors include the one that ended the measurement early.
    pub(crate) fn store(mut self) -> Result<()> {
        if self.error.is_some() {
            // It can be gone
            self.executable = None;
        }
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
        Ok(renames.commit()?)
    }
}
