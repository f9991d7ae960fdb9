//! Snapshots: the counts of a benchmark file in a file of the repository, one line for each
//! benchmark and metric.

mod counts;
pub(crate) mod error;
mod file;
mod lines;

use std::path::{Path, PathBuf};

pub use self::counts::{CheckedCount, Counts, Difference, Differences, Part};
use self::error::SnapshotError;
use self::file::{read, write};
use self::lines::Lines;
use crate::error::Result;

/// The directory of a package with its snapshots and benchmark files.
const DIRECTORY: &str = "benches";

/// The extension of a snapshot.
const EXTENSION: &str = "counts";

/// Returns true if this file is the snapshot of a benchmark file. Benchmarks can read user files
/// with such a name, so the content decides.
pub fn is_snapshot(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name);
    directory.is_some_and(|name| name == DIRECTORY)
        && path.extension().is_some_and(|extension| extension == EXTENSION)
        && read(path).ok().flatten().is_some_and(|text| Lines::check_title(path, &text).is_ok())
}

/// The snapshot of a benchmark file, as it was before the run.
#[derive(Debug)]
pub struct Snapshot {
    /// The path of the file.
    pub path: PathBuf,
    /// The name of the benchmark file.
    pub file: String,
    /// The content; `None` without a file, or if all of it is replaced.
    lines: Option<Lines>,
}

impl Snapshot {
    /// Reads the snapshot of a benchmark file in this package. If all of it is replaced, its lines
    /// are ignored, and can have conflicts.
    pub fn read(package: &Path, file: &str, target: &str, is_replaced: bool) -> Result<Self> {
        let path = package.join(DIRECTORY).join(format!("{file}.{target}.{EXTENSION}"));
        let text = read(&path)?;
        let lines = text.map(|text| {
            Lines::check_title(&path, &text)?;
            (!is_replaced).then(|| Lines::parse(&path, &text)).transpose()
        });
        Ok(Self { file: file.to_owned(), lines: lines.transpose()?.flatten(), path })
    }

    /// Returns the differences of the counts of a run from the snapshot; `None` if there is no snapshot.
    pub fn compare(&self, counts: &Counts, part: Part) -> Option<Differences> {
        self.lines.as_ref().map(|lines| counts.compare(&lines.fingerprint, &lines.counts, part))
    }

    /// Writes the counts of a run. If only a part of the benchmarks ran, the lines of the others
    /// stay. Then the surroundings must be the same, because one header applies to all lines.
    pub fn accept(&self, counts: &Counts, part: Part) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_snapshot_is_known_by_its_place_and_its_title() {
        let package = tempfile::tempdir().unwrap();
        let place = |name: &str| package.path().join(name);
        let title = "# iai-callgrind counts 1, written by a run\n";
        for directory in ["benches", "src"] {
            fs::create_dir(place(directory)).unwrap();
        }
        for (name, text, expected) in [
            ("benches/a.counts", title, true),
            ("benches/input.counts", "1\n2\n", false),
            ("benches/empty.counts", "", false),
            ("benches/a.rs", title, false),
            ("src/a.counts", title, false),
        ] {
            fs::write(place(name), text).unwrap();
            assert_eq!(is_snapshot(&place(name)), expected, "{name}");
        }
        symlink(place("benches/a.counts"), place("benches/link.counts")).unwrap();
        for name in ["benches/link.counts", "benches/missing.counts", "benches"] {
            assert!(!is_snapshot(&place(name)), "{name}");
        }
    }
}
