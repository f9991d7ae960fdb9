//! The user's source files that run.

use std::collections::BTreeMap;

use crate::table::Table;

/// A user source file that runs in one of two results or in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningFile {
    /// The path, relative to the workspace if the file is in it.
    pub path: String,
    /// True if the contents of the file differ between the results; `None` if it runs in one of
    /// them only and its other content is not known.
    pub differs: Option<bool>,
}

/// Returns the user's source files that run in one of these results, ordered by path.
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
