//! Runs the revisions of a crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_explain::{Annotation, Table};
use iai_callgrind_summary::{ChangeKind, Summary};
use xtask::command::in_file;
use xtask::package;

use crate::counts::{Counts, counts};
use crate::harness::{self, Bench, Profile};
use crate::histories::diff::Lines;
use crate::histories::record::{Pair, Record, Step};
use crate::histories::repository::Repository;
use crate::histories::subject::Subject;
use crate::manifest;

/// Name of the benchmark file.
const BENCH: &str = "histories";

/// The results of a revision by benchmark.
type Results = BTreeMap<String, RunResult>;

/// The result of a benchmark at a revision.
#[derive(Debug)]
struct RunResult {
    counts: Counts,
    change: Option<ChangeKind>,
    explanation: Option<iai_callgrind_summary::explanation::Explanation>,
    /// Lines of the library that ran.
    executed: Lines,
}

/// The history of a crate with a build profile.
pub(crate) struct History<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) repository: &'a Repository,
    pub(crate) profile: Profile,
    pub(crate) work: &'a Path,
    pub(crate) bench: &'a Bench,
}

impl History<'_> {
    /// Runs these revisions, each after its predecessor. A revision that does not build is left out.
    pub(crate) fn run(&self, revisions: &[String]) -> Result<Record, String> {
        harness::remove(&self.home())?;
        let mut record = Record::default();
        let mut last: Option<(&str, Results)> = None;
        for revision in revisions {
            let title = self.repository.title(revision)?;
            println!("{} {}: {title}", self.subject.name, self.profile);
            let results = match self.run_revision(revision) {
                Ok(results) => results,
                Err(error) => {
                    let reason = error.lines().find(|line| line.starts_with("error"));
                    let left_out = format!("{title}: {}", reason.unwrap_or(&error));
                    println!("  left out: {left_out}");
                    record.left_out.push(left_out);
                    continue;
                }
            };
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
            let touched = diff.touched(&old.executed, &new.executed);
            let verdict = new.explanation.as_ref().map(|explanation| explanation.verdict);
            let explanation = new.explanation.iter().flat_map(|one| one.text.clone()).collect();
            let (counts, change) = (new.counts.clone(), new.change);
            let pair = Pair { old: old.counts, new: counts, touched, change, verdict, explanation };
            Some((name.clone(), pair))
        });
        Ok(pairs.collect())
    }

    /// Builds and runs the benchmarks at a revision.
    fn run_revision(&self, revision: &str) -> Result<Results, String> {
        let Self { repository, subject, profile, .. } = self;
        repository.check_out(revision)?;
        let directory = repository.directory();
        let mut manifest = manifest::library(&repository.read("Cargo.toml")?)?;
        manifest.extend(manifest::parse(&package::benchmarks("", &[BENCH], profile.lines()))?);
        let manifest = manifest.to_string();
        let benchmarks = format!("benches/{BENCH}.rs");
        package::write(
            directory,
            &[("Cargo.toml", &manifest), (&benchmarks, &subject.benchmarks)],
        )?;
        // The versions of the revision before, so that only the history changes
        let (lock, locked) =
            (self.work.join(format!("{}.lock", subject.name)), directory.join("Cargo.lock"));
        if lock.is_file() {
            fs::copy(&lock, &locked).map_err(in_file(&lock))?;
        }
        repository.commit(revision)?;
        let mut cargo = self.bench.cargo(directory, BENCH, *profile, &self.home());
        cargo.args(["--", "--explain=all", "--output-format=json"]);
        let summaries = harness::summaries(&mut cargo)?;
        fs::copy(&locked, &lock).map_err(in_file(&lock))?;
        summaries.into_iter().map(|summary| self.read_summary(summary)).collect()
    }

    fn read_summary(&self, mut summary: Summary) -> Result<(String, RunResult), String> {
        let parts = [summary.function.as_deref(), summary.id.as_deref()];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        let (name, stem) = (parts.join(" "), parts.join("."));
        let directory = self.home().join(&summary.package).join(&summary.file).join(&summary.group);
        let file = directory.join(&stem).join(format!("callgrind.{stem}.table"));
        let bytes = fs::read(&file).map_err(in_file(&file))?;
        let table = Table::read(&bytes).map_err(in_file(&file))?;
        let result = RunResult {
            counts: counts(&summary),
            change: summary.change.as_ref().map(|change| change.kind),
            explanation: summary.tools.first_mut().and_then(|tool| tool.explanation.take()),
            executed: executed(&table),
        };
        Ok((name, result))
    }

    fn home(&self) -> PathBuf {
        self.work.join("results").join(&self.subject.name).join(self.profile.to_string())
    }
}

/// Returns the lines of the library that ran.
fn executed(table: &Table) -> Lines {
    let annotation = Annotation::new(table, None, "Ir");
    let files = annotation.into_iter().flat_map(|annotation| annotation.files);
    files.map(|file| (file.path, file.lines.iter().map(|line| line.number).collect())).collect()
}
