//! The state of the work tree with the user's source files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The state of the git work tree in which a result was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit that was checked out.
    pub commit: String,
    /// The path of the user's workspace in the work tree, with a slash at the end; empty for the work tree itself.
    pub prefix: String,
    /// Uncommitted files by their paths in the work tree, each with a value that changes with the
    /// file.
    pub uncommitted: BTreeMap<String, String>,
}
