//! The candidates: files of the runs of a benchmark under one tool, of which one run is stored.
//! This is the only candidate, or the median, which is known after the last run.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs;
use std::sync::Mutex;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_plan::metric::{MetricKind, Metrics};
use iai_callgrind_process::TemporaryDirectory;
use iai_callgrind_results::{Benchmark, RunId, Samples};
use iai_callgrind_store::{NewFiles, OutputDirectory, Slot};
use iai_callgrind_tools::tool::Measurement;

use crate::error::{Error, Result};

/// The files of the runs that can be stored.
pub(super) struct Candidates<'a> {
    pub(super) samples: &'a Samples,
    slot: &'a Slot,
    /// Directory of files that are not stored yet; `None` if each result is stored at once.
    directory: Option<TemporaryDirectory>,
    kept: Mutex<HashMap<RunId, NewFiles>>,
}

impl<'a> Candidates<'a> {
    /// Stores the results of a run with these settings.
    pub(super) fn new(settings: &'a Settings, output: &OutputDirectory) -> Result<Self> {
        let Settings { samples, mode, .. } = settings;
        let directory = (samples.candidates() > 1).then(|| output.staging()).transpose()?;
        Ok(Self { samples, slot: &mode.new, directory, kept: Mutex::default() })
    }

    /// Stores the files of a run if it is the only candidate, and keeps them otherwise. Stored flat
    /// because the journal is here.
    pub(super) fn add(&self, id: RunId, benchmark: &Benchmark, mut files: NewFiles) -> Result<()> {
        let RunId { benchmark: index, tool, sample } = id;
        let Some(directory) = &self.directory else {
            let tool = benchmark.options.tools[tool].tool;
            return Ok(benchmark.files.place(tool, &files, self.slot)?);
        };
        for file in files.paths_mut() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let to = directory.path().join(format!("{index}.{tool}.{sample}.{name}"));
            fs::rename(&*file, &to).map_err(Error::io("rename", &*file))?;
            *file = to;
        }
        self.kept.lock().unwrap().insert(id, files);
        Ok(())
    }

    /// Stores the median of the candidates under one tool. Returns its index.
    pub(super) fn store(
        &self,
        ids: impl Iterator<Item = RunId>,
        benchmark: &Benchmark,
        runs: &[Measurement],
    ) -> Result<usize> {
        let mut kept: Vec<_> = ids.take(self.samples.candidates()).collect();
        let options = &benchmark.options.tools[kept[0].tool];
        let total = |id: &RunId| &runs[id.sample].total;
        let has_value = |kind: &MetricKind| kept.iter().any(|id| total(id).get(*kind).is_some());
        if let Some(kind) = options.metrics.iter().copied().find(has_value) {
            kept.sort_by(|left, right| compare(total(left), total(right), kind));
        }
        let middle = kept[(kept.len() - 1) / 2];
        for id in kept {
            let files = self.kept.lock().unwrap().remove(&id);
            let Some(mut files) = files else { continue };
            if id == middle {
                benchmark.files.place(options.tool, &files, self.slot)?;
            }
            for file in files.paths_mut() {
                // What remains is removed with the directory
                let _ = fs::remove_file(file);
            }
        }
        Ok(middle.sample)
    }
}

/// Compares totals by this metric. Totals without it are the smallest.
fn compare(left: &Metrics, right: &Metrics, kind: MetricKind) -> Ordering {
    match (left.get(kind), right.get(kind)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (left, right) => left.is_some().cmp(&right.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_have_an_order_though_some_lack_the_metric() {
        let total = |kind: MetricKind, count: u64| Metrics::from_iter([(kind, count)]);
        let mut totals: Vec<_> = (0..50).map(|count| total(MetricKind::Ir, count)).collect();
        totals.extend((0..50).map(|count| total(MetricKind::Dr, count)));
        // A sort may panic if this is not a total order
        totals.rotate_left(30);
        totals.sort_by(|left, right| compare(left, right, MetricKind::Ir));
        let counts: Vec<_> =
            totals.iter().filter_map(|total| total.count(MetricKind::Ir)).collect();
        assert_eq!(counts, (0..50).collect::<Vec<_>>());
        assert!(totals[..50].iter().all(|total| total.count(MetricKind::Ir).is_none()));
    }
}
