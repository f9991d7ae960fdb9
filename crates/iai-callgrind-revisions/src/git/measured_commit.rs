//! The file with the commit that a result was measured at, next to the result.

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_base::{FileError, MalformedFile, read_json};
use iai_callgrind_plan::decode;
use serde::{Deserialize, Serialize};

use super::{WorkTreeState, is_id};

/// Maximum number of names of changed files in the file.
const NAMES: usize = 20;

/// The commit that was checked out when a result was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredCommit {
    /// The id of the commit.
    pub commit: String,
    /// The hash of the files in the commit. An amended message leaves it as it is.
    pub tree: String,
    /// Number of files with changes that were not committed.
    pub uncommitted: usize,
    /// The first of these files.
    pub files: Vec<String>,
}

impl From<&WorkTreeState> for MeasuredCommit {
    fn from(state: &WorkTreeState) -> Self {
        let uncommitted: &BTreeMap<_, _> = &state.revision.uncommitted;
        Self {
            commit: state.revision.commit.clone(),
            tree: state.tree.clone(),
            uncommitted: uncommitted.len(),
            files: uncommitted.keys().take(NAMES).map(|path| shown(path)).collect(),
        }
    }
}

/// Returns the name of a file as it is shown.
fn shown(path: &str) -> String {
    decode(path).to_string_lossy().into_owned()
}

impl MeasuredCommit {
    /// Reads the file; `None` if there is none. Its ids become arguments of git.
    pub fn read(path: &Path) -> Result<Option<Self>, FileError> {
        let tool = "iai-callgrind";
        let read: Option<Self> = read_json(path, tool, "this is not the commit of a result")?;
        let is_other = |read: &Self| !is_id(&read.commit) || !is_id(&read.tree);
        if read.as_ref().is_some_and(is_other) {
            let (path, cause) = (path.to_owned(), MalformedFile::NotCommit);
            return Err(FileError::Malformed { path, line: 1, cause, tool });
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_file_with_ids_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.commit.json");
        assert_eq!(MeasuredCommit::read(&path).unwrap(), None);
        let (commit, tree) = ("1".repeat(40), "2".repeat(64));
        let files = vec!["a b".to_owned()];
        let good = MeasuredCommit { commit, tree, uncommitted: 1, files };
        for (text, is_read) in [("", true), ("1111", false), ("--all", false), ("HEAD", false)] {
            let commit = if text.is_empty() { good.commit.clone() } else { text.to_owned() };
            let written = MeasuredCommit { commit, ..good.clone() };
            fs::write(&path, serde_json::to_vec(&written).unwrap()).unwrap();
            match MeasuredCommit::read(&path) {
                Ok(read) => assert_eq!(read, is_read.then(|| good.clone()), "{text}"),
                Err(error) => assert!(!is_read, "{text}: {error}"),
            }
        }
        fs::write(&path, "{").unwrap();
        let error = MeasuredCommit::read(&path).unwrap_err().to_string();
        assert!(error.contains(":1: this is not the commit of a result"), "{error}");
    }
}
