//! The list of projects, a data file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The data file.
const TEXT: &str = include_str!("projects.json");

/// All projects, and the reasons for differences.
#[derive(Debug)]
pub(crate) struct List {
    projects: Vec<Project>,
    left_out: Vec<LeftOut>,
    reasons: BTreeMap<String, Reason>,
}

/// A package with benchmark files.
#[derive(Debug)]
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
    differences: Vec<(String, String)>,
    /// Number of benchmarks that the harness lists and this one can't count, for which the remark has the reason.
    pub(crate) not_counted: usize,
    /// Remark on the row of the table.
    pub(crate) remark: Option<String>,
}

/// A reason for differences.
#[derive(Debug)]
pub(crate) struct Reason {
    pub(crate) text: String,
    /// The largest difference that it explains, in instructions.
    limit: Option<u64>,
}

impl Reason {
    /// Returns true if it explains the difference of two counts.
    pub(crate) fn explains(&self, original: u64, ours: u64) -> bool {
        self.limit.is_none_or(|limit| original.abs_diff(ours) <= limit)
    }
}

/// A package with benchmark files that can not be run.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) reason: String,
}

/// The harness that a project's benchmark files are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Harness {
    Iai,
    IaiCallgrind,
    Gungraun,
    Criterion,
    Divan,
}

impl Harness {
    const ALL: [Self; 5] =
        [Self::Iai, Self::IaiCallgrind, Self::Gungraun, Self::Criterion, Self::Divan];

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

    /// Returns the package that takes its place.
    pub(crate) fn library(self) -> &'static str {
        match self {
            Self::Iai | Self::IaiCallgrind | Self::Gungraun => "iai-callgrind",
            Self::Criterion => "iai-callgrind-criterion",
            Self::Divan => "iai-callgrind-divan",
        }
    }

    /// Returns the directory of this package in the workspace.
    pub(crate) fn library_directory(self, workspace: &Path) -> PathBuf {
        let parent = match self {
            Self::Iai | Self::IaiCallgrind | Self::Gungraun => workspace.to_owned(),
            Self::Criterion | Self::Divan => workspace.join("crates"),
        };
        parent.join(self.library())
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

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.package() == name)
    }
}

impl List {
    /// Reads the data file of this program.
    pub(crate) fn read() -> Result<Self, String> {
        Self::parse(TEXT).map_err(|error| format!("projects.json: {error}"))
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.projects.iter().any(|project| project.name == name)
    }

    pub(crate) fn projects(&self) -> impl Iterator<Item = &Project> {
        self.projects.iter()
    }

    pub(crate) fn left_out(&self) -> impl Iterator<Item = &LeftOut> {
        self.left_out.iter()
    }

    /// Returns all reasons with their keys.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = (&str, &str)> {
        self.reasons.iter().map(|(key, reason)| (key.as_str(), reason.text.as_str()))
    }

    /// Returns the reason with this key, which exists.
    pub(crate) fn reason(&self, key: &str) -> &Reason {
        &self.reasons[key]
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let object = value.as_object().ok_or("not an object")?;
        let mut reasons = BTreeMap::new();
        for (key, reason) in object.get("reasons").and_then(Value::as_object).ok_or("no reasons")? {
            let text = reason.get("text").and_then(string).ok_or("a reason without a text")?;
            let limit = reason.get("instructions").and_then(Value::as_u64);
            reasons.insert(key.clone(), Reason { text, limit });
        }
        let (mut projects, mut left_out) = (Vec::new(), Vec::new());
        for entry in object.get("projects").and_then(Value::as_array).ok_or("no projects")? {
            let name = entry.get("name").and_then(string).ok_or("a project without a name")?;
            let text = |key: &str| entry.get(key).and_then(string);
            let needed = |key: &str| text(key).ok_or_else(|| format!("{name}: no {key}"));
            let version = needed("version")?;
            if let Some(reason) = text("left_out") {
                left_out.push(LeftOut { name, version, reason });
                continue;
            }
            let harness = needed("harness")?;
            let harness =
                Harness::parse(&harness).ok_or(format!("{name}: no harness {harness}"))?;
            let differences = differences(entry);
            if let Some((_, key)) = differences.iter().find(|(_, key)| !reasons.contains_key(key)) {
                return Err(format!("{name}: no reason {key}"));
            }
            projects.push(Project {
                harness,
                restored: text("restored"),
                benches: strings(entry, "benches"),
                features: strings(entry, "features"),
                cold_caches: flag(entry, "cold_caches"),
                threads: flag(entry, "threads"),
                varying: number(entry, "varying"),
                copies: copies(entry),
                differences,
                not_counted: number(entry, "not_counted"),
                remark: text("remark"),
                version,
                name,
            });
        }
        Ok(Self { projects, left_out, reasons })
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

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn strings(entry: &Value, key: &str) -> Vec<String> {
    let list = entry.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(string).collect()
}

fn flag(entry: &Value, key: &str) -> bool {
    entry.get(key).and_then(Value::as_bool).unwrap_or(false)
}

fn number(entry: &Value, key: &str) -> usize {
    let number = entry.get(key).and_then(Value::as_u64).unwrap_or(0);
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn copies(entry: &Value) -> Vec<(String, String)> {
    let list = entry.get("copies").and_then(Value::as_array);
    let pairs = list.into_iter().flatten();
    pairs.filter_map(|pair| Some((string(pair.get(0)?)?, string(pair.get(1)?)?))).collect()
}

fn differences(entry: &Value) -> Vec<(String, String)> {
    let object = entry.get("differences").and_then(Value::as_object);
    let pairs = object.into_iter().flatten();
    pairs.filter_map(|(pattern, key)| Some((pattern.clone(), string(key)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_project_has_benches() {
        let list = List::read().unwrap();
        for project in list.projects() {
            assert!(!project.benches.is_empty(), "{project}");
        }
    }

    #[test]
    fn every_library_is_in_its_directory() {
        for harness in Harness::ALL {
            let manifest = harness.library_directory(&xtask::command::root()).join("Cargo.toml");
            let text = std::fs::read_to_string(&manifest).unwrap();
            assert!(text.contains(&format!("name = {:?}\n", harness.library())), "{text}");
        }
    }

    #[test]
    fn the_longest_pattern_has_the_reason() {
        let list = List::parse(
            r#"{"reasons": {"a": {"text": "x"}, "b": {"text": "y", "instructions": 20}}, "projects": [{"name": "x", "version": "1.0.0",
            "harness": "iai", "benches": ["x"], "differences": {"exact": "a", "*": "a", "pre*": "b"}}]}"#,
        )
        .unwrap();
        let project = list.projects().next().unwrap();
        assert_eq!(project.reason("exact"), Some("a"));
        assert_eq!(project.reason("prefix"), Some("b"));
        assert_eq!(project.reason("other"), Some("a"));
        assert!(list.reason("a").explains(100, 200));
        assert!(list.reason("b").explains(100, 80));
        assert!(!list.reason("b").explains(100, 79));
    }

    #[test]
    fn an_unknown_reason_is_an_error() {
        let text = r#"{"reasons": {}, "projects": [{"name": "x", "version": "1.0.0",
            "harness": "iai", "benches": ["x"], "differences": {"*": "a"}}]}"#;
        assert_eq!(List::parse(text).unwrap_err(), "x: no reason a");
    }
}
