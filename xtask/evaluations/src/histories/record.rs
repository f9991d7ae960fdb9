//! The recorded results of a history, from which the table is made.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iai_callgrind_summary::ChangeKind;
use iai_callgrind_summary::explanation::Verdict;
use serde::{Deserialize, Serialize};
use xtask::command::in_file;

use crate::histories::diff::Touched;
use crate::histories::subject::{Harness, Subject, Units};

/// Metrics that all harnesses print, by label.
pub(crate) type Counts = BTreeMap<String, u64>;

/// The results of a history under a harness.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) steps: Vec<Step>,
    /// Revisions at which the benchmarks do not build or run, with the reason.
    pub(crate) left_out: Vec<String>,
}

/// A revision and its predecessor.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Step {
    /// Hash and subject of the revision.
    pub(crate) title: String,
    /// Results by benchmark.
    pub(crate) pairs: BTreeMap<String, Pair>,
}

/// A benchmark at a revision and at its predecessor.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) old: Counts,
    pub(crate) new: Counts,
    /// The change of the revision; `None` under a harness that does not know which lines ran.
    pub(crate) touched: Option<Touched>,
    /// The change as it is printed; `None` under a harness that does not say it.
    pub(crate) change: Option<ChangeKind>,
    #[serde(flatten)]
    pub(crate) explanation: StoredExplanation,
}

/// The explanation of a difference.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct StoredExplanation {
    pub(crate) verdict: Option<Verdict>,
    pub(crate) text: Vec<String>,
}

/// The difference of two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Differs {
    Nothing,
    /// Misses and what is computed from them.
    Caches,
    /// Reads or writes, with the same instructions.
    Accesses,
    Instructions,
}

const INSTRUCTIONS: &str = "Instructions";

impl Pair {
    /// Returns what differs, by the metrics that all harnesses have.
    pub(crate) fn differs(&self) -> Differs {
        let is_other = |label: &str| self.old.get(label) != self.new.get(label);
        let by_label = [
            (INSTRUCTIONS, Differs::Instructions),
            ("Total read+write", Differs::Accesses),
            ("L1 Hits", Differs::Caches),
            ("LL Hits", Differs::Caches),
            ("RAM Hits", Differs::Caches),
        ];
        by_label
            .into_iter()
            .find_map(|(label, differs)| is_other(label).then_some(differs))
            .unwrap_or(Differs::Nothing)
    }

    /// Returns the change of the instructions in percent.
    #[expect(clippy::cast_precision_loss, reason = "a percentage needs no more than 52 bits")]
    pub(crate) fn percentage(&self) -> f64 {
        let count = |counts: &Counts| counts.get(INSTRUCTIONS).copied().unwrap_or(0) as f64;
        (count(&self.new) - count(&self.old)) / count(&self.old) * 100.0
    }
}

impl Record {
    /// Writes the record of a history.
    pub(crate) fn write(
        &self,
        work: &Path,
        subject: &Subject,
        harness: Harness,
        units: Units,
    ) -> Result<(), String> {
        let file = path(work, subject, harness, units);
        let text = serde_json::to_string_pretty(self).map_err(in_file(&file))?;
        fs::write(&file, text).map_err(in_file(&file))
    }

    /// Reads the record of an earlier run. Returns `None` if there is none.
    pub(crate) fn read(
        work: &Path,
        subject: &Subject,
        harness: Harness,
        units: Units,
    ) -> Result<Option<Self>, String> {
        let file = path(work, subject, harness, units);
        match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(in_file(&file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(in_file(&file)(error)),
        }
    }
}

fn path(work: &Path, subject: &Subject, harness: Harness, units: Units) -> PathBuf {
    work.join(format!("records/{}-{}-{units}.json", subject.name, harness.id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_matter_before_caches() {
        let counts = |numbers: [u64; 3]| {
            let labels = [INSTRUCTIONS, "Total read+write", "RAM Hits"];
            labels.map(str::to_owned).into_iter().zip(numbers).collect::<Counts>()
        };
        let differs = |new| {
            Pair { old: counts([100, 140, 3]), new: counts(new), ..Pair::default() }.differs()
        };
        assert_eq!(differs([100, 140, 3]), Differs::Nothing);
        assert_eq!(differs([100, 140, 4]), Differs::Caches);
        assert_eq!(differs([100, 141, 4]), Differs::Accesses);
        assert_eq!(differs([101, 140, 4]), Differs::Instructions);
    }
}
