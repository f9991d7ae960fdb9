//! The recorded result of a project, from which the table is made.

use serde::{Deserialize, Serialize};

/// The runs of a project.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) compiles: bool,
    pub(crate) runs: bool,
    /// With those before a failure.
    pub(crate) counts: Vec<Count>,
}

/// The count of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Count {
    /// Name of the function and id of the case, which all harnesses print.
    pub(crate) benchmark: String,
    /// `None` if the harness measures time.
    pub(crate) instructions: Option<u64>,
}
