//! Stored benchmarks that are no longer in the project.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::env;
use std::path::PathBuf;

use iai_callgrind_revisions::targets_of_packages;
use iai_callgrind_store::{COMMANDS_PACKAGE, DeclaredBenchmarks, StoredBenchmark};

use crate::note::Note;

/// The benchmarks of the project: the targets of its packages, and the benchmarks of each file's
/// last run.
#[derive(Default)]
pub(crate) struct Project {
    /// Names of the crates of each package's targets. Packages of other workspaces are not known.
    packages: BTreeMap<String, BTreeSet<String>>,
    declared: HashMap<PathBuf, Option<DeclaredBenchmarks>>,
}

impl Project {
    /// Returns the project of the workspace in the current directory.
    pub(crate) fn here() -> Self {
        let targets = env::current_dir().ok().and_then(|here| targets_of_packages(&here).ok());
        Self { packages: targets.unwrap_or_default(), declared: HashMap::new() }
    }

    /// Clears the cache of each file's last run.
    pub(crate) fn forget_runs(&mut self) {
        self.declared.clear();
    }

    /// Returns true if a package of the project no longer has this benchmark file.
    pub(crate) fn lacks_file(&self, package: &str, file: &str) -> bool {
        let targets = self.packages.get(package);
        package != COMMANDS_PACKAGE && targets.is_some_and(|targets| !targets.contains(file))
    }

    /// Returns true if the project no longer has this benchmark.
    pub(crate) fn lacks(&mut self, benchmark: &StoredBenchmark) -> bool {
        let StoredBenchmark { package, file, files, .. } = benchmark;
        let output = files.output();
        if self.lacks_file(package, file) {
            return true;
        }
        let read = || DeclaredBenchmarks::read(output);
        let declared = self.declared.entry(output.to_owned()).or_insert_with(read);
        declared.as_ref().is_some_and(|declared| !declared.has(files))
    }
}

/// Removes benchmarks that are no longer in the project from the list, and prints a note about
/// them.
pub(crate) fn leave_out_gone(benchmarks: &mut Vec<StoredBenchmark>) {
    let mut project = Project::here();
    let all = benchmarks.len();
    benchmarks.retain(|benchmark| !project.lacks(benchmark));
    if benchmarks.len() < all {
        Note::Gone { benchmarks: all - benchmarks.len(), place: "the project" }.print();
    }
}
