//! The benchmarks of a benchmark file in its last run, to find stored results of deleted ones.

use std::collections::BTreeSet;
use std::path::Path;

use iai_callgrind_base::read_json;
use serde::{Deserialize, Serialize};

use super::file_system::replace_page;
use super::files::Files;
use crate::{Error, Result};

/// Name of the file in the directory of a benchmark file.
pub(crate) const FILE: &str = ".benchmarks.json";

/// The benchmarks that a benchmark file declares, selected or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredBenchmarks {
    /// Their directories in that of the file: `group/function.id`.
    benchmarks: BTreeSet<String>,
}

impl DeclaredBenchmarks {
    /// Returns the declared benchmarks with these files, in the directory of a benchmark file.
    pub fn new(directory: &Path, files: impl IntoIterator<Item = Files>) -> Self {
        let names = files.into_iter().map(|files| name(directory, &files));
        Self { benchmarks: names.collect() }
    }

    /// Reads the declared benchmarks of the last run; `None` without a run.
    pub fn read(directory: &Path) -> Result<Option<Self>> {
        let complaint = "these are not the names of benchmarks";
        Ok(read_json(&directory.join(FILE), "iai-callgrind", complaint)?)
    }

    /// Writes them.
    pub fn write(&self, directory: &Path) -> Result<()> {
        let path = directory.join(FILE);
        let write = || replace_page(&path, &serde_json::to_vec(self)?);
        write().map_err(Error::io("write", &path))
    }

    /// Returns true if a benchmark with these files is declared.
    pub fn has(&self, files: &Files) -> bool {
        self.benchmarks.contains(&name(files.output(), files))
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.benchmarks.is_empty()
    }
}

fn name(directory: &Path, files: &Files) -> String {
    let path = files.directory();
    path.strip_prefix(directory).unwrap_or(path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn deleted_benchmarks_are_known_after_a_run_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        assert!(DeclaredBenchmarks::read(path).unwrap().is_none());
        let files = |id: &str| Files::new(path, "group", Some("f"), Some(id));
        let declared = DeclaredBenchmarks::new(path, ["a", "b/ä"].map(files));
        declared.write(path).unwrap();
        let read = DeclaredBenchmarks::read(path).unwrap().unwrap();
        assert!(read == declared && read.has(&files("b/ä")) && !read.has(&files("c")));
        fs::write(path.join(FILE), "[]").unwrap();
        let error = DeclaredBenchmarks::read(path).unwrap_err().to_string();
        assert!(error.contains(":1: these are not the names of benchmarks"), "{error}");
    }
}
