//! The user's source files that run, and the state of the work tree that they are in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::table::Table;

/// The state of the git work tree in which a result was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The commit that was checked out.
    pub commit: String,
    /// The path of the user's workspace in the work tree, with a slash at the end; empty for the work tree itself.
    pub prefix: String,
    /// The files with changes that were not committed, by their paths in the work tree, with something that is another
    /// one after each change.
    pub uncommitted: BTreeMap<String, String>,
}

/// A source file of the user's that runs in one of two results or in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningFile {
    /// The path, relative to the workspace if the file is in it.
    pub path: String,
    /// True if the results were made with different contents of the file; `None` if it runs in one of them only.
    pub differs: Option<bool>,
}

/// Returns the user's source files that run in one of these results, in the order of their paths.
pub(crate) fn running(old: &Table, new: &Table) -> Vec<RunningFile> {
    let mut files: BTreeMap<&str, Option<bool>> = BTreeMap::new();
    for (table, other) in [(old, new), (new, old)] {
        for (path, file) in &table.files {
            let differs = other.files.get(path).map(|other| other.hash != file.hash);
            files.insert(path, differs);
        }
    }
    let file = |(path, differs): (&str, _)| RunningFile { path: path.to_owned(), differs };
    files.into_iter().map(file).collect()
}
