//! The work tree of the other revision.
//!
//! Its files stay after the run, so that cargo builds only those that differ the next time: git leaves the others, and
//! the times at which they changed, as they are. Its registration in the repository does not stay, so that nothing is
//! left in `git worktree list`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use super::repository::{Commit, Repository, run};
use crate::error::{Error, Result};
use crate::git;
use crate::process::TemporaryDirectory;

/// The directory of the files.
const TREE: &str = "tree";

/// The file in a work tree that names its directory in the repository.
const LINK: &str = ".git";

/// A work tree with a commit, registered in its repository until it is dropped.
pub(super) struct Tree {
    path: PathBuf,
    /// The directory of the work tree in the repository.
    registration: TemporaryDirectory,
}

impl Tree {
    /// Checks out a commit in the directory `tree` below this one.
    pub(super) fn check_out(
        repository: &Repository,
        directory: &Path,
        commit: &Commit,
    ) -> Result<Self> {
        settle(directory)?;
        repository.run(&["worktree", "prune"])?;
        let path = directory.join(TREE);
        let registration = register(repository, &path, commit)?;
        let registration = TemporaryDirectory::create(|| Ok(registration))?;
        let tree = Self { path, registration };
        // The index knows the files of the last commit here
        let index = directory.join("index");
        for arguments in [&["reset", "--quiet", "--hard", &commit.id][..], &["clean", "-ffdxq"]] {
            let mut command = git::command(&tree.path, arguments);
            run(command.env("GIT_INDEX_FILE", &index), arguments[0])?;
        }
        let copy = tree.registration.path().join("index");
        fs::copy(&index, &copy).map_err(Error::io("write", &copy))?;
        if tree.path.join(".gitmodules").is_file() {
            let arguments = ["submodule", "--quiet", "update", "--init", "--recursive", "--force"];
            run(&mut git::command(&tree.path, &arguments), arguments[0])?;
        }
        Ok(tree)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Without it, the directory in the repository can go
        let _ = fs::remove_file(self.path.join(LINK));
    }
}

/// Removes the registrations and the lock that killed runs left.
fn settle(directory: &Path) -> Result<()> {
    // Of a git that was killed
    let _ = fs::remove_file(directory.join("index.lock"));
    let entries = fs::read_dir(directory).map_err(Error::io("read the directory", directory))?;
    let is_tree = |path: &PathBuf| path.file_stem().is_some_and(|name| name == TREE);
    for path in entries.flatten().map(|entry| entry.path()).filter(is_tree) {
        let link = path.join(LINK);
        // A copy of the output directory names the registration of the original
        let is_owner = |registration: &PathBuf| {
            let owner = fs::read_to_string(registration.join("gitdir"));
            owner.is_ok_and(|owner| Path::new(owner.trim_end()) == link)
        };
        if let Some(registration) = registration(&link).filter(is_owner) {
            // The guardian of the run that was killed can be removing it
            let _ = fs::remove_dir_all(&registration);
        }
        if link.exists() {
            fs::remove_file(&link).map_err(Error::io("remove", &link))?;
        }
        if path.file_name().is_some_and(|name| name != TREE) {
            // Registered by a run that was killed before it moved the link
            let _ = fs::remove_dir(path);
        }
    }
    Ok(())
}

/// Registers a work tree of this commit without a change of the files that are there. Returns its directory in the
/// repository.
fn register(repository: &Repository, path: &Path, commit: &Commit) -> Result<PathBuf> {
    // The directory in the repository gets this name. The guardian of a run that was killed can still be removing that
    // of another one
    let new = path.with_extension(process::id().to_string());
    // A path that is not UTF-8 can't be that of an executable
    let text = new.to_string_lossy();
    repository.run(&["worktree", "add", "--no-checkout", "--detach", &text, &commit.id])?;
    let link = path.join(LINK);
    let unknown = || Error::Git {
        command: "worktree".to_owned(),
        output: format!("{} is not a work tree", new.display()),
    };
    let registration = registration(&new.join(LINK)).ok_or_else(unknown)?;
    fs::create_dir_all(path).map_err(Error::io("create the directory", path))?;
    fs::rename(new.join(LINK), &link).map_err(Error::io("write", &link))?;
    fs::remove_dir(&new).map_err(Error::io("remove", &new))?;
    let owner = registration.join("gitdir");
    fs::write(&owner, format!("{}\n", link.display())).map_err(Error::io("write", &owner))?;
    Ok(registration)
}

/// Reads the directory of a work tree in its repository from the file that names it.
fn registration(link: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(link).ok()?;
    let path = PathBuf::from(text.trim_end().strip_prefix("gitdir: ")?);
    let is_of_worktree = path.parent()?.file_name()? == "worktrees";
    (path.is_absolute() && is_of_worktree).then_some(path)
}
