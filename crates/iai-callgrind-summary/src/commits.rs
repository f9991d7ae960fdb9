//! The commits of the compared results.

use serde::{Deserialize, Serialize};

/// The commits that were checked out when the compared results were measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commits {
    /// Commit of the new result; null if it is not known.
    pub new: Option<Commit>,
    /// Commit of the old result; null if it is not known, or if there is no old result.
    pub old: Option<Commit>,
}

/// A commit with its description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commit {
    /// Id.
    pub id: String,
    /// Day on which it was committed; null except in the data of pages, and if the commit is not in the repository.
    pub date: Option<String>,
    /// First line of its message; null except in the data of pages, and if the commit is not in the repository.
    pub subject: Option<String>,
    /// Number of files with changes that were not committed.
    pub uncommitted: usize,
}
