//! The file with the time of a benchmark, next to its results: `time.<function>.<id><slot>.json`.

use std::path::{Path, PathBuf};

use iai_callgrind_base::console::make_one_line;
use iai_callgrind_summary::time::{Time, Times};
use serde::{Deserialize, Serialize};

use super::error::OutputError;
use super::file_system::read_if_exists;
use super::files::Files;
use super::slot::Slot;
use super::transaction::Transaction;
use crate::{Error, Result};

/// The stored time of a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredTime {
    /// The start of the run in UTC.
    pub measured: String,
    /// Name of the slot with the counts of the other side; `None` without one.
    pub other: Option<String>,
    /// The time of the benchmark.
    pub time: Time,
}

impl StoredTime {
    /// Returns the time as that of one side, unless it was compared with this one.
    pub fn compared_with(self, other: Option<&Slot>) -> Time {
        let Self { other: known, time, .. } = self;
        if known.is_some() && known.as_deref() == other.map(Slot::name) {
            return time;
        }
        Time {
            old: None,
            old_measured: None,
            ratio: None,
            verdict: None,
            exceeded_limit: None,
            ..time
        }
    }

    /// Reads a file, which can come from another machine.
    fn read(path: &Path) -> Result<Option<Self>> {
        let Some(content) = read_if_exists(path).map_err(Error::of_result)? else {
            return Ok(None);
        };
        let damaged = || OutputError::DamagedTime { path: path.to_owned() };
        let mut read: Self = serde_json::from_slice(&content).map_err(|_| damaged())?;
        let is_time = |times: &Times| {
            times.wall.value > 0.0 && times.cpu.as_ref().is_none_or(|cpu| cpu.value >= 0.0)
        };
        let times = [Some(&read.time.new), read.time.old.as_ref(), read.time.ratio.as_ref()];
        if !times.into_iter().flatten().all(is_time) {
            return Err(damaged().into());
        }
        let old = &mut read.time.old_measured;
        let texts = [&mut read.other, old].into_iter().flatten();
        texts.chain([&mut read.measured]).for_each(make_one_line);
        Ok(Some(read))
    }
}

impl Files {
    /// Reads the time in this slot, if there is one.
    pub fn read_time(&self, slot: &Slot) -> Result<Option<StoredTime>> {
        StoredTime::read(&self.time_path(slot))
    }

    /// Adds the renames that move a file with a time into its slot. The time of the last run
    /// becomes the previous one.
    pub fn place_time(&self, file: PathBuf, slot: &Slot, renames: &mut Transaction) -> Result<()> {
        self.create_directory()?;
        match self.time_in(slot) {
            Some(last) if *slot == Slot::Latest => {
                self.time_in(&Slot::Old).into_iter().for_each(|old| renames.remove(old));
                renames.rename(last, self.time_path(&Slot::Old));
            }
            Some(replaced) => renames.remove(replaced),
            None => {}
        }
        renames.place(file, self.time_path(slot))
    }
}
