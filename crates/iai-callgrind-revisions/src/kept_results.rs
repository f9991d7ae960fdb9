//! The results of other revisions that are kept.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use iai_callgrind_store::file_name;
use iai_callgrind_tools::fingerprint::{FINGERPRINT, Fingerprint};

use super::arguments::MeasuringArguments;
use super::cargo::BenchmarkFile;
use super::repository::{Commit, SHORT};
use super::revisions::DIRECTORY;
use crate::error::{Error, Result};
use iai_callgrind_base::hash;

/// The directory with a file for each measurement that is complete, in a directory for each baseline.
const MEASURED: &str = "measured";

/// Number of digits of the hash in a baseline's name, after those of its commit.
const HASH: usize = 8;

/// Number of baselines that are kept.
const MOST: usize = 32;

/// Time for which all baselines are kept.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The results of a benchmark file at a commit, under the same circumstances.
pub(super) struct KeptResult {
    /// The name of the baseline.
    pub(super) baseline: String,
    /// The file that is there if they are complete.
    complete: PathBuf,
    /// The same for all benchmarks of the file.
    all_complete: PathBuf,
    /// The directory with a directory for each baseline.
    measured: PathBuf,
}

impl KeptResult {
    pub(super) fn new(
        directory: &Path,
        commit: &Commit,
        dependencies: &str,
        arguments: &MeasuringArguments,
        file: &BenchmarkFile<'_>,
    ) -> Self {
        let baseline = format!("{}-{}", commit.short(), &hash(dependencies.as_bytes())[..HASH]);
        let measured = directory.join(MEASURED);
        let selection = |selected: &[_]| hash(format!("{selected:?}").as_bytes());
        let complete = |selected: &[_]| {
            let name = format!("{}.{}.{}", file.package, file.name, selection(selected));
            measured.join(&baseline).join(name)
        };
        Self {
            complete: complete(&arguments.all),
            all_complete: complete(&arguments.options),
            measured: measured.clone(),
            baseline,
        }
    }

    /// Returns true if all of them are stored. The user can have removed them.
    pub(super) fn is_complete(&self, home: &Path) -> bool {
        let is_noted = self.complete.is_file() || self.all_complete.is_file();
        is_noted && !results(home, &format!(".base@{}.", self.baseline)).is_empty()
    }

    /// Records their use, and removes the least recently used baselines.
    pub(super) fn complete(&self, home: &Path) -> Result<()> {
        let directory = self.measured.join(&self.baseline);
        fs::create_dir_all(&directory).map_err(Error::io("create the directory", &directory))?;
        File::create(&self.complete).map_err(Error::io("write", &self.complete))?;
        self.touch()?;
        for baseline in unused(&self.measured) {
            // Before the results, so that they are never missed
            let noted = self.measured.join(&baseline);
            fs::remove_dir_all(&noted).map_err(Error::io("remove", &noted))?;
            for path in results(home, &format!(".base@{baseline}.")) {
                // Without the note it is not used
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }

    /// Notes that they were used.
    pub(super) fn touch(&self) -> Result<()> {
        let directory = self.measured.join(&self.baseline);
        let touch = || File::open(&directory)?.set_modified(SystemTime::now());
        touch().map_err(Error::io("write", &directory))
    }
}

/// Returns the first digits of the commit whose results are kept as this baseline; `None` for a
/// user's baseline.
pub fn commit_of_kept(baseline: &str) -> Option<&str> {
    let is_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let (commit, hash) = baseline.split_once('-')?;
    (is_hex(commit, SHORT) && is_hex(hash, HASH)).then_some(commit)
}

/// Returns the names of the baselines in this directory of results that runs keep for the next comparison with a revision.
pub fn kept_baselines(home: &Path) -> HashSet<String> {
    let directory = home.join(DIRECTORY).join(MEASURED);
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// Returns the baselines that need not be kept.
fn unused(measured: &Path) -> Vec<String> {
    let entries = fs::read_dir(measured).into_iter().flatten().flatten();
    let mut baselines: Vec<_> = entries
        .filter_map(|entry| {
            let age = entry.metadata().ok()?.modified().ok()?.elapsed().unwrap_or_default();
            Some((age, entry.file_name().into_string().ok()?))
        })
        .collect();
    baselines.sort();
    let old = baselines.into_iter().skip(MOST).filter(|(age, _)| *age > KEPT_FOR);
    old.map(|(_, baseline)| baseline).collect()
}

/// Returns the fingerprint of one of a baseline's results, which all come from the same run.
pub(super) fn fingerprint(home: &Path, baseline: &str) -> Option<Fingerprint> {
    let files = results(home, &format!(".base@{baseline}."));
    files
        .iter()
        .filter(|path| file_name(path).ends_with(FINGERPRINT))
        .find_map(|path| Fingerprint::read(path).ok()?)
}

/// Lists the files in all directories of results whose names contain this text, without flamegraphs of other results.
fn results(directory: &Path, text: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let found = entries.flat_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true if name.starts_with('.') => Vec::new(),
            true => results(&entry.path(), text),
            false if name.contains(&format!("diff{text}")) => Vec::new(),
            false if name.contains(text) => vec![entry.path()],
            false => Vec::new(),
        }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_that_are_old_and_many_are_removed() {
        let home = tempfile::tempdir().unwrap();
        let measured = home.path().join(MEASURED);
        let now = SystemTime::now();
        for (number, hours) in [(MOST, 48_u32), (1, 72), (3, 1)] {
            for index in 0..number {
                let path = measured.join(format!("{hours}-{index}"));
                fs::create_dir_all(&path).unwrap();
                let age = Duration::from_secs(3600) * hours;
                File::open(path).unwrap().set_modified(now - age).unwrap();
            }
        }
        let unused = unused(&measured);
        assert_eq!(unused.len(), 4);
        assert!(unused.contains(&"72-0".to_owned()));
        assert!(unused.iter().all(|name| !name.starts_with("1-")), "{unused:?}");
    }

    #[test]
    fn only_the_files_of_the_baseline_are_found() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("p/f/g/x");
        fs::create_dir_all(&directory).unwrap();
        for name in [
            "callgrind.x.base@a-1.out",
            "callgrind.x.base@a-12.out",
            "callgrind.x.Ir.diff.base@a-1.flamegraph.svg",
        ] {
            fs::write(directory.join(name), "").unwrap();
        }
        fs::create_dir_all(home.path().join(".against")).unwrap();
        fs::write(home.path().join(".against/x.base@a-1.out"), "").unwrap();
        let found = results(home.path(), ".base@a-1.");
        assert_eq!(found, [directory.join("callgrind.x.base@a-1.out")]);
    }
}
