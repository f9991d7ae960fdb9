//! The recorded results of a history, from which the table is made.

use std::collections::BTreeMap;

use iai_callgrind_summary::ChangeKind;
use iai_callgrind_summary::explanation::Verdict;
use serde::{Deserialize, Serialize};

use crate::counts::{Counts, Differs, INSTRUCTIONS};
use crate::histories::diff::Touched;

/// The results of a history with a profile.
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
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub(crate) old: Counts,
    pub(crate) new: Counts,
    /// The change of the revision.
    pub(crate) touched: Touched,
    /// The change as it is printed.
    pub(crate) change: Option<ChangeKind>,
    pub(crate) verdict: Option<Verdict>,
    /// The lines of the explanation.
    pub(crate) explanation: Vec<String>,
}

impl Pair {
    /// Returns the difference of the results.
    pub(crate) fn differs(&self) -> Differs {
        Differs::of(&self.old, &self.new)
    }

    /// Returns the change of the instructions in percent.
    #[expect(clippy::cast_precision_loss, reason = "a percentage needs no more than 52 bits")]
    pub(crate) fn percentage(&self) -> f64 {
        let count = |counts: &Counts| counts.get(INSTRUCTIONS).copied().unwrap_or(0) as f64;
        (count(&self.new) - count(&self.old)) / count(&self.old) * 100.0
    }
}
