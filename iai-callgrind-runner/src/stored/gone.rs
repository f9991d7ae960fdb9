//! Stored benchmarks that are no longer in the project.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::{env, mem};

use iai_callgrind_revisions::targets_of_packages;
use iai_callgrind_store::{COMMANDS_PACKAGE, DeclaredBenchmarks, StoredBenchmark};

use crate::error::Result;
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
    fn lacks(&mut self, benchmark: &StoredBenchmark) -> Result<bool> {
        let StoredBenchmark { package, file, files, .. } = benchmark;
        let output = files.output();
        if self.lacks_file(package, file) {
            return Ok(true);
        }
        let declared = match self.declared.entry(output.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(DeclaredBenchmarks::read(output)?),
        };
        Ok(declared.as_ref().is_some_and(|declared| !declared.has(files)))
    }

    /// Splits benchmarks into those that the project has, and those that it lacks.
    pub(crate) fn split(
        &mut self,
        benchmarks: Vec<StoredBenchmark>,
    ) -> Result<(Vec<StoredBenchmark>, Vec<StoredBenchmark>)> {
        let (mut present, mut gone) = (Vec::new(), Vec::new());
        for benchmark in benchmarks {
            if self.lacks(&benchmark)? { &mut gone } else { &mut present }.push(benchmark);
        }
        Ok((present, gone))
    }
}

/// Removes benchmarks that are no longer in the project from the list, and prints a note about
/// them.
pub(crate) fn leave_out_gone(benchmarks: &mut Vec<StoredBenchmark>) -> Result<()> {
    let (present, gone) = Project::here().split(mem::take(benchmarks))?;
    *benchmarks = present;
    if !gone.is_empty() {
        Note::Gone { benchmarks: gone.len(), place: "the project" }.print();
    }
    Ok(())
}
