//! The recorded result of a project, from which the table is made.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::command::in_file;

use crate::projects::counts::Count;
use crate::projects::list::Project;

/// The runs of a project.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Package and version of the original harness.
    pub(crate) harness: String,
    /// Locked dependencies that are too old for the library, and were updated for both runs.
    pub(crate) updated: Vec<String>,
    /// Without counts if the harness measures time.
    pub(crate) original: Outcome,
    pub(crate) ours: Outcome,
    /// A second run of this harness, for projects with threads.
    pub(crate) again: Option<Outcome>,
    /// This harness with `--native-cpu`, to compare with the counts of the original one.
    pub(crate) native: Option<Outcome>,
}

/// The outcome of all benchmark files of a project under one harness.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    DoesNotCompile,
    /// With the counts before the failure.
    Fails(Vec<Count>),
    Runs(Vec<Count>),
}

impl Outcome {
    pub(crate) fn compiles(&self) -> bool {
        !matches!(self, Self::DoesNotCompile)
    }

    pub(crate) fn runs(&self) -> bool {
        matches!(self, Self::Runs(_))
    }

    pub(crate) fn counts(&self) -> &[Count] {
        match self {
            Self::DoesNotCompile => &[],
            Self::Fails(counts) | Self::Runs(counts) => counts,
        }
    }

    fn to_json(&self) -> Value {
        let counts = self.counts().iter();
        let counts: Vec<_> =
            counts.map(|count| json!([count.benchmark, count.instructions])).collect();
        json!({ "compiles": self.compiles(), "runs": self.runs(), "counts": counts })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let counts = value.get("counts")?.as_array()?.iter().map(|count| {
            let benchmark = count.get(0)?.as_str()?.to_owned();
            Some(Count { benchmark, instructions: count.get(1)?.as_u64() })
        });
        let counts = counts.collect::<Option<_>>()?;
        let flag = |key: &str| value.get(key)?.as_bool();
        Some(match (flag("compiles")?, flag("runs")?) {
            (false, _) => Self::DoesNotCompile,
            (true, false) => Self::Fails(counts),
            (true, true) => Self::Runs(counts),
        })
    }
}

impl Record {
    /// Writes the record of this project.
    pub(crate) fn write(&self, work: &Path, project: &Project) -> Result<(), String> {
        let file = file(work, project);
        fs::write(&file, format!("{:#}\n", self.to_json())).map_err(in_file(&file))
    }

    /// Reads the record of this project, if it was run.
    pub(crate) fn read(work: &Path, project: &Project) -> Result<Option<Self>, String> {
        let file = file(work, project);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(in_file(&file))?,
        };
        let value = serde_json::from_str(&text).map_err(in_file(&file))?;
        let record = Self::from_json(&value).ok_or("not a record");
        record.map(Some).map_err(in_file(&file))
    }

    fn to_json(&self) -> Value {
        json!({
            "harness": self.harness,
            "updated": self.updated,
            "original": self.original.to_json(),
            "ours": self.ours.to_json(),
            "again": self.again.as_ref().map(Outcome::to_json),
            "native": self.native.as_ref().map(Outcome::to_json),
        })
    }

    fn from_json(value: &Value) -> Option<Self> {
        let updated = value.get("updated")?.as_array()?.iter();
        Some(Self {
            harness: value.get("harness")?.as_str()?.to_owned(),
            updated: updated.map(|name| Some(name.as_str()?.to_owned())).collect::<Option<_>>()?,
            original: Outcome::from_json(value.get("original")?)?,
            ours: Outcome::from_json(value.get("ours")?)?,
            again: optional(value, "again").ok()?,
            native: optional(value, "native").ok()?,
        })
    }
}

/// Reads an outcome that may be missing.
fn optional(record: &Value, key: &str) -> Result<Option<Outcome>, Damaged> {
    match record.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(outcome) => Outcome::from_json(outcome).map(Some).ok_or(Damaged),
    }
}

/// An outcome that can't be read.
struct Damaged;

fn file(work: &Path, project: &Project) -> PathBuf {
    work.join(format!("records/{}.json", project.directory()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back() {
        let counts = vec![Count { benchmark: "f id".into(), instructions: Some(12) }];
        let listed = vec![Count { benchmark: "f".into(), instructions: None }];
        let outcomes = [
            (Outcome::DoesNotCompile, Some(Outcome::Runs(Vec::new()))),
            (Outcome::Fails(counts.clone()), None),
            (Outcome::Runs(listed), None),
        ];
        for (ours, native) in outcomes {
            let record = Record {
                harness: "iai 0.1.1".into(),
                updated: vec!["quote".into()],
                original: Outcome::Runs(counts.clone()),
                ours,
                again: Some(Outcome::Runs(counts.clone())),
                native,
            };
            assert_eq!(Record::from_json(&record.to_json()), Some(record));
        }
    }
}
