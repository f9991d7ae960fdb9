//! Runs the revisions of a crate under a harness.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_explain::{Annotation, Table};
use iai_callgrind_summary::{ChangeKind, Summary};
use xtask::command::{self, in_file};

use crate::harness;
use crate::histories::diff::Lines;
use crate::histories::manifest::{self, BENCH};
use crate::histories::record::{Counts, Pair, Record, Step, StoredExplanation};
use crate::histories::repository::Repository;
use crate::histories::subject::{Harness, Subject, Units};
use crate::projects;
use crate::registry;

/// The results of a revision by benchmark.
type Results = BTreeMap<String, RunResult>;

/// The result of a benchmark at a revision.
#[derive(Debug, Default)]
struct RunResult {
    counts: Counts,
    change: Option<ChangeKind>,
    explanation: StoredExplanation,
    /// Lines of the library that ran; empty under another harness.
    executed: Lines,
}

/// The history of a crate under a harness.
pub(crate) struct History<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) repository: &'a Repository,
    pub(crate) harness: Harness,
    pub(crate) units: Units,
    pub(crate) work: &'a Path,
    pub(crate) runner: &'a Path,
}

impl History<'_> {
    /// Runs these revisions, each after its predecessor. A revision that does not build is left out.
    pub(crate) fn run(&self, revisions: &[String]) -> Result<Record, String> {
        let home = self.home();
        if home.is_dir() {
            fs::remove_dir_all(&home).map_err(in_file(&home))?;
        }
        let mut record = Record::default();
        let mut last: Option<(&str, Results)> = None;
        for revision in revisions {
            let title = self.repository.title(revision)?;
            let name =
                format!("{} {} {}: {title}", self.subject.name, self.harness.id(), self.units);
            let results = match self.run_revision(revision) {
                Ok(results) => results,
                Err(error) => {
                    let reason = error.lines().find(|line| line.starts_with("error"));
                    let left_out = format!("{title}: {}", reason.unwrap_or(&error));
                    println!("{name}\n  left out: {left_out}");
                    record.left_out.push(left_out);
                    continue;
                }
            };
            println!("{name}");
            if let Some((old_revision, old)) = last {
                let pairs = self.pairs(old_revision, old, revision, &results)?;
                record.steps.push(Step { title, pairs });
            }
            last = Some((revision, results));
        }
        Ok(record)
    }

    /// Pairs the results of a revision with those before.
    fn pairs(
        &self,
        old_revision: &str,
        mut old: Results,
        revision: &str,
        new: &Results,
    ) -> Result<BTreeMap<String, Pair>, String> {
        let diff = self.repository.diff(old_revision, revision)?;
        let pairs = new.iter().filter_map(|(name, new)| {
            let old = old.remove(name)?;
            let touched =
                (self.harness == Harness::Ours).then(|| diff.touched(&old.executed, &new.executed));
            let (counts, explanation) = (new.counts.clone(), new.explanation.clone());
            let change = new.change;
            let pair = Pair { old: old.counts, new: counts, touched, change, explanation };
            Some((name.clone(), pair))
        });
        Ok(pairs.collect())
    }

    /// Builds and runs the benchmarks at a revision.
    fn run_revision(&self, revision: &str) -> Result<Results, String> {
        let Self { repository, subject, harness, units, .. } = self;
        repository.check_out(revision)?;
        let manifest = repository.read("Cargo.toml")?;
        let root = command::root();
        let manifest = manifest::with_benchmarks(&manifest, *harness, *units, &root)
            .map_err(|error| format!("{revision}: {error}"))?;
        repository.write("Cargo.toml", &manifest)?;
        repository
            .write(&format!("benches/{BENCH}.rs"), &harness.benchmarks(subject.benchmarks))?;
        // The versions of the revision before, so that only the history changes
        let lock = self.work.join(format!("{}-{}.lock", subject.name, harness.id()));
        let earlier = [&lock, &root.join("Cargo.lock")]
            .into_iter()
            .find_map(|file| fs::read_to_string(file).ok());
        repository.write("Cargo.lock", &earlier.unwrap_or_default())?;
        repository.commit(revision)?;
        let results = self.bench()?;
        let locked = repository.read("Cargo.lock")?;
        fs::write(&lock, locked).map_err(in_file(&lock))?;
        Ok(results)
    }

    fn bench(&self) -> Result<Results, String> {
        let target = self.work.join("target").join(self.harness.id());
        let mut command = harness::bench(self.repository.directory(), BENCH, &target);
        let home = self.home();
        if let Some(flags) = self.units.flags() {
            command.env("RUSTFLAGS", flags);
        }
        command.env("IAI_CALLGRIND_HOME", &home).env("GUNGRAUN_HOME", &home);
        command.env("IAI_CALLGRIND_RUNNER", self.runner).env("GUNGRAUN_RUNNER", self.runner);
        if self.harness != Harness::Ours {
            return Ok(read_blocks(&harness::run(&mut command)?));
        }
        command.args(["--", "--explain=all", "--output-format=json"]);
        let summaries = harness::summaries(&mut command)?;
        summaries.iter().map(|summary| self.read_summary(summary)).collect()
    }

    fn read_summary(&self, summary: &Summary) -> Result<(String, RunResult), String> {
        let parts = [summary.function.as_deref(), summary.id.as_deref()];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let tool = summary.tools.first().ok_or_else(|| format!("{}: no tool ran", summary.name))?;
        let stem = parts.join(".");
        let directory = self.home().join(&summary.package).join(&summary.file).join(&summary.group);
        let file = directory.join(&stem).join(format!("callgrind.{stem}.table"));
        let bytes = fs::read(&file).map_err(in_file(&file))?;
        let table = Table::read(&bytes).map_err(in_file(&file))?;
        let explanation = tool.explanation.as_ref();
        let result = RunResult {
            counts: harness::counts(summary),
            change: summary.change.as_ref().map(|change| change.kind),
            explanation: StoredExplanation {
                verdict: explanation.map(|explanation| explanation.verdict),
                text: explanation.map(|explanation| explanation.text.clone()).unwrap_or_default(),
            },
            executed: executed(&table),
        };
        Ok((parts.join(" "), result))
    }

    fn home(&self) -> PathBuf {
        let series = format!("{}-{}", self.harness.id(), self.units);
        self.work.join("results").join(self.subject.name).join(series)
    }
}

/// Returns the runner of a harness, which is built or installed if it is missing.
pub(crate) fn runner(harness: Harness, work: &Path) -> Result<PathBuf, String> {
    match harness.version() {
        Some(version) => registry::install(&format!("{}-runner", harness.package()), version, work),
        None => harness::runner(),
    }
}

/// Returns the lines of the library that ran.
fn executed(table: &Table) -> Lines {
    let annotation = Annotation::new(table, None, "Ir");
    let files = annotation.into_iter().flat_map(|annotation| annotation.files);
    files.map(|file| (file.path, file.lines.iter().map(|line| line.number).collect())).collect()
}

/// Reads the blocks of a harness: a title, and lines with a label and a count.
fn read_blocks(output: &str) -> Results {
    let mut results = Results::new();
    let mut title = String::new();
    for line in output.lines() {
        if !line.starts_with(' ') {
            title = projects::function_and_id(line.trim_end());
        } else if let Some((label, count)) = read_count(line) {
            results.entry(title.clone()).or_default().counts.insert(label.to_owned(), count);
        }
    }
    results
}

/// Reads a line such as `  L1 Hits:   100|90   (+11.1%)`.
fn read_count(line: &str) -> Option<(&str, u64)> {
    let (label, value) = line.trim_start().split_once(':')?;
    let digits = value.trim_start().split('|').next()?;
    Some((label, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_published_harnesses_are_read() {
        let output = "file::all::sort worst:vec![1]\n  Instructions:                 345|N/A (*********)\n  \
                      L1 Hits:    400|390   (+2.5%) [+1.0x]\n  Baselines: |old\n\nfile::all::other\n  Instructions: 7|7 (No change)\n";
        let results = read_blocks(output);
        let counts = |name: &str| results[name].counts.clone();
        assert_eq!(
            counts("sort worst"),
            Counts::from([("Instructions".to_owned(), 345), ("L1 Hits".to_owned(), 400)])
        );
        assert_eq!(counts("other"), Counts::from([("Instructions".to_owned(), 7)]));
    }
}
