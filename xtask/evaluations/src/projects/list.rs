//! The list of projects, a data file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The data file.
const TEXT: &str = include_str!("projects.json");

/// All projects, and the reasons for differences.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub(crate) projects: Vec<Project>,
    /// Reasons by the names and versions of packages that are not run.
    pub(crate) left_out: BTreeMap<String, String>,
    pub(crate) reasons: BTreeMap<String, Reason>,
}

/// A package with benchmark files.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) harness: Harness,
    /// Version of the harness, if the published manifest lacks the dependency.
    pub(crate) restored: Option<String>,
    pub(crate) benches: Vec<String>,
    pub(crate) features: Vec<String>,
    /// True if setups take too long with callgrind's simulation.
    pub(crate) cold_caches: bool,
    /// True if benchmarks start threads, so that a second run shows which counts vary.
    pub(crate) threads: bool,
    /// Number of counts that may differ in the second run, for which the remark has the reason.
    pub(crate) varying: usize,
    /// Copies of the package's files in place of files that its benchmarks read and it lacks.
    pub(crate) copies: Vec<(String, String)>,
    /// Keys of the reasons, by the name of a benchmark or a prefix that ends with `*`.
    differences: BTreeMap<String, String>,
    /// Number of benchmarks that the harness lists and this one can't count, for which the remark has the reason.
    pub(crate) not_counted: usize,
    /// Remark on the row of the table.
    pub(crate) remark: Option<String>,
}

/// A reason for differences.
#[derive(Debug, Deserialize)]
pub(crate) struct Reason {
    pub(crate) text: String,
    /// The largest difference that it explains.
    instructions: Option<u64>,
}

impl Reason {
    /// Returns true if it explains the difference of two counts.
    pub(crate) fn explains(&self, original: u64, ours: u64) -> bool {
        self.instructions.is_none_or(|limit| original.abs_diff(ours) <= limit)
    }
}

/// The harness that a project's benchmark files are made for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Harness {
    #[default]
    Iai,
    IaiCallgrind,
    Gungraun,
    Criterion,
    Divan,
}

impl Harness {
    /// Returns the name of the package.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Self::Iai => "iai",
            Self::IaiCallgrind => "iai-callgrind",
            Self::Gungraun => "gungraun",
            Self::Criterion => "criterion",
            Self::Divan => "divan",
        }
    }

    /// Returns the package that takes its place, and its directory in the workspace.
    pub(crate) fn library(self, workspace: &Path) -> (&'static str, PathBuf) {
        let (library, parent) = match self {
            Self::Iai | Self::IaiCallgrind | Self::Gungraun => ("iai-callgrind", ""),
            Self::Criterion => ("iai-callgrind-criterion", "crates"),
            Self::Divan => ("iai-callgrind-divan", "crates"),
        };
        (library, workspace.join(parent).join(library))
    }

    /// Returns true if it counts instructions, false if it measures time.
    pub(crate) fn counts(self) -> bool {
        !matches!(self, Self::Criterion | Self::Divan)
    }

    /// Returns the name of the package with the runner, and the variable with its path.
    pub(crate) fn runner(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Iai | Self::Criterion | Self::Divan => None,
            Self::IaiCallgrind => Some(("iai-callgrind-runner", "IAI_CALLGRIND_RUNNER")),
            Self::Gungraun => Some(("gungraun-runner", "GUNGRAUN_RUNNER")),
        }
    }
}

impl List {
    /// Reads the data file of this program.
    pub(crate) fn read() -> Result<Self, String> {
        Self::parse(TEXT).map_err(|error| format!("projects.json: {error}"))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let list: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        for project in &list.projects {
            let mut keys = project.differences.values();
            if let Some(key) = keys.find(|key| !list.reasons.contains_key(*key)) {
                return Err(format!("{project}: no reason {key}"));
            }
        }
        Ok(list)
    }
}

impl Project {
    /// Returns the name of the directory that cargo unpacks the package to.
    pub(crate) fn directory(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Returns the key of the reason for a difference in this benchmark. The longest pattern wins.
    pub(crate) fn reason(&self, benchmark: &str) -> Option<&str> {
        let matches = |pattern: &str| match pattern.strip_suffix('*') {
            Some(prefix) => benchmark.starts_with(prefix),
            None => benchmark == pattern,
        };
        let matching = self.differences.iter().filter(|(pattern, _)| matches(pattern));
        matching.max_by_key(|(pattern, _)| pattern.len()).map(|(_, key)| key.as_str())
    }
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_benches() {
        let projects = List::read().unwrap().projects;
        assert!(projects.iter().all(|project| !project.benches.is_empty()));
    }

    #[test]
    fn the_longest_pattern_has_the_reason() {
        let list = List::parse(
            r#"{"reasons": {"a": {"text": "x"}, "b": {"text": "y", "instructions": 20}}, "left_out": {}, "projects":
            [{"harness": "iai", "differences": {"exact": "a", "*": "a", "pre*": "b"}}]}"#,
        )
        .unwrap();
        let reasons = ["exact", "prefix", "other"].map(|name| list.projects[0].reason(name));
        assert_eq!(reasons, [Some("a"), Some("b"), Some("a")]);
        assert!(list.reasons["a"].explains(100, 200) && list.reasons["b"].explains(100, 80));
        assert!(!list.reasons["b"].explains(100, 79));
    }
}
