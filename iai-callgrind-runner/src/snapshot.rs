//! Snapshots: the counts of a benchmark file in a file of the repository, a line for each benchmark and metric.

mod counts;
pub(crate) mod error;
mod file;
mod lines;

use std::path::{Path, PathBuf};

pub(crate) use self::counts::{CheckedCount, Counts, Difference, Differences, Part};
use self::error::SnapshotError;
use self::file::{read, write};
use self::lines::Lines;
use crate::error::Result;

/// The snapshot of a benchmark file, as it was before the run.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) path: PathBuf,
    /// The name of the benchmark file.
    pub(crate) file: String,
    /// The content; `None` without a file, or if all of it is replaced.
    lines: Option<Lines>,
}

impl Snapshot {
    /// Reads the snapshot of a benchmark file in this package. If all of it is replaced, its lines do not matter, and can
    /// have conflicts.
    pub(crate) fn read(
        package: &Path,
        file: &str,
        target: &str,
        is_replaced: bool,
    ) -> Result<Self> {
        let path = package.join("benches").join(format!("{file}.{target}.counts"));
        let text = read(&path)?;
        let lines = text.map(|text| {
            Lines::check_title(&path, &text)?;
            (!is_replaced).then(|| Lines::parse(&path, &text)).transpose()
        });
        Ok(Self { file: file.to_owned(), lines: lines.transpose()?.flatten(), path })
    }

    /// Returns the differences of the counts of a run from the snapshot; `None` if there is no snapshot.
    pub(crate) fn compare(&self, counts: &Counts, part: Part) -> Option<Differences> {
        self.lines.as_ref().map(|lines| counts.compare(&lines.fingerprint, &lines.counts, part))
    }

    /// Writes the counts of a run. If a part of the benchmarks ran, the lines of the others stay. Then the surroundings must
    /// be the same, because the file names them once for all lines.
    pub(crate) fn accept(&self, counts: &Counts, part: Part) -> Result<()> {
        let kept = self.lines.as_ref().filter(|_| part == Part::Some);
        if let Some(kept) = kept.filter(|kept| kept.others(counts).next().is_some()) {
            let changes = counts.fingerprint.changes_since(&kept.fingerprint);
            let names: Vec<_> = changes.map(|change| change.name).collect();
            if !names.is_empty() {
                return Err(
                    SnapshotError::OtherSurroundings { path: self.path.clone(), names }.into()
                );
            }
        }
        write(&self.path, &Lines::new(counts, kept).to_text(&self.file))
    }
}
