//! The commits of the compared results and old sources, as the repository of the workspace has them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use iai_callgrind_base::FileError;
use iai_callgrind_revisions::{MeasuredCommit, Repository};
use iai_callgrind_store::{COMMIT, Files, Slot};
use iai_callgrind_summary::{Commit, Commits, Tool};

use crate::error::Result;

/// Date and subject of a commit.
type Description = (String, String);

/// The repository that contains the workspace, if there is one. Each question to git is asked once.
pub(super) struct SiteRepository {
    /// The directory that the paths of sources are relative to.
    pub(super) workspace: PathBuf,
    repository: Option<Repository>,
    descriptions: Mutex<HashMap<String, Option<Description>>>,
    sources: Mutex<HashMap<(String, String), Option<String>>>,
    /// The first file of a commit that can't be read. The pages are without this commit.
    unreadable: Mutex<Option<FileError>>,
}

impl SiteRepository {
    pub(super) fn of(workspace: &Path) -> Self {
        Self {
            workspace: workspace.to_owned(),
            repository: Repository::of(workspace).ok(),
            descriptions: Mutex::default(),
            sources: Mutex::default(),
            unreadable: Mutex::default(),
        }
    }

    /// Returns the error of the first commit that could not be read.
    pub(super) fn check(&self) -> Result<()> {
        self.unreadable.lock().unwrap().take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Returns the commits that the results in these slots were measured at, with their descriptions; `None` if none is known.
    pub(super) fn commits(
        &self,
        files: &Files,
        slots: (&Slot, Option<&Slot>),
        tools: &[Tool],
    ) -> Option<Commits> {
        let commits = measured_commits(files, slots, tools).unwrap_or_else(|error| {
            self.unreadable.lock().unwrap().get_or_insert(error);
            None
        })?;
        let describe = |commit: Option<Commit>| commit.map(|commit| self.describe(commit));
        Some(Commits { new: describe(commits.new), old: describe(commits.old) })
    }

    fn describe(&self, commit: Commit) -> Commit {
        let Commit { id, uncommitted, .. } = commit;
        let find = |id: &String| {
            let repository = self.repository.as_ref()?;
            let listed = repository.listed(&repository.resolve(id).ok()?).ok()?;
            Some((listed.date, listed.subject))
        };
        let mut known = self.descriptions.lock().unwrap();
        let description = known.entry(id.clone()).or_insert_with_key(find).clone();
        let (date, subject) = description.unzip();
        Commit { id, date, subject, uncommitted }
    }

    /// Returns the content of a source file in a commit, whose path is relative to the workspace.
    pub(super) fn source(&self, commit: &Commit, path: &str) -> Option<String> {
        let repository = self.repository.as_ref()?;
        let key = (commit.id.clone(), path.to_owned());
        let mut known = self.sources.lock().unwrap();
        let read = |(id, path): &(String, String)| repository.file(id, &self.workspace.join(path));
        known.entry(key).or_insert_with_key(read).clone()
    }
}

/// Returns the commits that the results in these slots were measured at, without descriptions; `None` if none is known.
///
/// # Errors
///
/// Returns an error for a file that can't be read.
pub fn measured_commits(
    files: &Files,
    (new, old): (&Slot, Option<&Slot>),
    tools: &[Tool],
) -> std::result::Result<Option<Commits>, FileError> {
    let commit = |slot: &Slot| {
        let paths = tools.iter().map(|tool| files.path(&tool.tool, COMMIT, slot));
        let measured = paths.map(|path| MeasuredCommit::read(&path)).find_map(Result::transpose);
        let without = |MeasuredCommit { commit: id, uncommitted, .. }| Commit {
            id,
            date: None,
            subject: None,
            uncommitted,
        };
        measured.transpose().map(|measured| measured.map(without))
    };
    let commits = Commits { new: commit(new)?, old: old.map(commit).transpose()?.flatten() };
    Ok((commits != Commits::default()).then_some(commits))
}
