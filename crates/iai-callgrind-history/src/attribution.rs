//! The commit to which a stored result belongs.

use std::collections::HashMap;

use iai_callgrind_revisions::{Commit, MeasuredCommit, Repository};

use super::error::NoCommit;
use crate::error::Result;

/// Finds the commits of results. The directory of results can be a copy of another checkout's, and history can have been
/// rewritten since.
pub(super) struct Attribution {
    repository: Repository,
    dirty: DirtyResults,
    head: Commit,
    head_tree: Option<String>,
    /// The commits by those that were measured; `None` for one that is not in the repository.
    known: HashMap<String, Option<Commit>>,
}

/// The treatment of results that were measured with changes that no commit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DirtyResults {
    Refuse,
    /// Records them with a mark.
    Mark,
}

impl Attribution {
    pub(super) fn new(repository: Repository, dirty: DirtyResults) -> Result<Self> {
        let head = repository.head()?;
        let head_tree = repository.tree_of(&head.id);
        Ok(Self { repository, dirty, head, head_tree, known: HashMap::new() })
    }

    /// Returns the commit of a result, and true if it was measured with changes that the commit does not have.
    ///
    /// # Errors
    ///
    /// Returns an error if the commit is not known or not in the repository, or if a result with changes is not wanted.
    pub(super) fn find(
        &mut self,
        measured: Option<&MeasuredCommit>,
    ) -> Result<(Commit, bool), NoCommit> {
        let measured = measured.ok_or(NoCommit::Unknown)?;
        let is_dirty = measured.uncommitted > 0;
        if is_dirty && self.dirty == DirtyResults::Refuse {
            return Err(NoCommit::Changes {
                commit: measured.commit[..12].to_owned(),
                files: measured.files.clone(),
                number: measured.uncommitted,
            });
        }
        let commit = match self.known.get(&measured.commit) {
            Some(commit) => commit.clone(),
            None => self.resolve(measured),
        };
        self.known.insert(measured.commit.clone(), commit.clone());
        let missing = || NoCommit::Missing { commit: measured.commit[..12].to_owned() };
        Ok((commit.ok_or_else(missing)?, is_dirty))
    }

    /// Returns the commit that was measured if it is in the history of `HEAD`. Otherwise that is `HEAD` if it has the same
    /// files, as after a change of the message, or the commit of another branch.
    fn resolve(&self, measured: &MeasuredCommit) -> Option<Commit> {
        if measured.commit == self.head.id {
            return Some(self.head.clone());
        }
        let found = self.repository.resolve(&measured.commit).ok();
        let is_before = |commit: &&Commit| self.repository.is_ancestor(commit, &self.head);
        if let Some(commit) = found.as_ref().filter(is_before) {
            return Some(commit.clone());
        }
        if self.head_tree.as_ref() == Some(&measured.tree) {
            return Some(self.head.clone());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use iai_callgrind_revisions::{self as revisions, Checkout, GitError};

    use super::*;

    fn run(directory: &Path, arguments: &[&str]) -> String {
        let user =
            ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "commit.gpgsign=false"];
        let checkout = Checkout::find(directory).unwrap();
        checkout.run(&[&user, arguments].concat()).unwrap().trim().to_owned()
    }

    fn init(directory: &Path) {
        let status = Command::new("git").arg("init").arg("--quiet").arg(directory).status();
        assert!(status.unwrap().success());
    }

    fn commit(directory: &Path, text: &str) -> MeasuredCommit {
        fs::write(directory.join("file"), text).unwrap();
        run(directory, &["add", "file"]);
        run(directory, &["commit", "--quiet", "--message", text]);
        MeasuredCommit {
            commit: run(directory, &["rev-parse", "HEAD"]),
            tree: run(directory, &["rev-parse", "HEAD^{tree}"]),
            uncommitted: 0,
            files: Vec::new(),
        }
    }

    #[test]
    fn a_result_belongs_to_the_commit_that_it_was_measured_at() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        init(path);
        assert!(matches!(
            Repository::of(path).unwrap().head(),
            Err(revisions::Error::Git(GitError::NoCommit { .. }))
        ));
        let first = commit(path, "first");
        let second = commit(path, "second");
        let new = |dirty| Attribution::new(Repository::of(path).unwrap(), dirty).unwrap();
        let find = |measured: &MeasuredCommit| {
            new(DirtyResults::Refuse).find(Some(measured)).map(|(commit, _)| commit.id)
        };
        assert_eq!(find(&first).unwrap(), first.commit, "not that of HEAD");
        assert_eq!(find(&second).unwrap(), second.commit);

        run(path, &["commit", "--quiet", "--amend", "--message", "another message"]);
        assert_eq!(find(&second).unwrap(), run(path, &["rev-parse", "HEAD"]), "the same files");
        let third = commit(path, "third");
        assert_eq!(find(&second).unwrap(), second.commit, "it is still there");
        let gone = MeasuredCommit { commit: "1".repeat(40), tree: "2".repeat(40), ..first.clone() };
        assert_eq!(find(&gone), Err(NoCommit::Missing { commit: "1".repeat(12) }));
        let copied = MeasuredCommit { tree: third.tree.clone(), ..gone };
        assert_eq!(find(&copied).unwrap(), third.commit, "another clone with the same files");
    }

    #[test]
    fn results_with_changes_are_refused_or_marked_and_unknown_ones_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        init(path);
        let dirty = MeasuredCommit { uncommitted: 1, ..commit(path, "first") };
        let find = |dirty, measured| {
            Attribution::new(Repository::of(path).unwrap(), dirty).unwrap().find(measured)
        };
        let refused = find(DirtyResults::Refuse, Some(&dirty));
        assert!(matches!(refused, Err(NoCommit::Changes { number: 1, .. })));
        let (marked, is_dirty) = find(DirtyResults::Mark, Some(&dirty)).unwrap();
        assert_eq!((&marked.id, is_dirty), (&dirty.commit, true));
        assert!(matches!(find(DirtyResults::Mark, None), Err(NoCommit::Unknown)));
    }
}
