//! The work tree of the other revision.
//!
//! Its files stay after the run, so that cargo builds only those that differ the next time: git leaves the others, and
//! the times at which they changed, as they are. Its registration in the repository does not stay, so that nothing is
//! left in `git worktree list`.

use std::fs;
use std::path::{Path, PathBuf};

use super::repository::{Commit, Repository, run};
use crate::error::{Error, Result};
use crate::git;
use crate::process::TemporaryDirectory;

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
        let path = directory.join("tree");
        settle(&path)?;
        repository.run(&["worktree", "prune"])?;
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
        let _ = fs::remove_file(self.path.join(".git"));
    }
}

/// Returns the path of the files of a work tree while git makes a new one in its place.
fn parked(path: &Path) -> PathBuf {
    path.with_extension("files")
}

/// Ends what a killed run left: a registration, or files that are parked.
fn settle(path: &Path) -> Result<()> {
    let link = path.join(".git");
    let registration = registration(&link).filter(|directory| {
        // A copy of the output directory names the work tree of the original
        let owner = fs::read_to_string(directory.join("gitdir"));
        owner.is_ok_and(|owner| Path::new(owner.trim_end()) == link)
    });
    if let Some(registration) = registration {
        fs::remove_dir_all(&registration).map_err(Error::io("remove", &registration))?;
    }
    if link.exists() {
        fs::remove_file(&link).map_err(Error::io("remove", &link))?;
    }
    let parked = parked(path);
    if parked.exists() {
        // It has nothing but the link
        let _ = fs::remove_dir(path);
        fs::rename(&parked, path).map_err(Error::io("rename", &parked))?;
        let _ = fs::remove_file(link);
    }
    Ok(())
}

/// Registers a work tree of this commit without a change of the files that are there. Returns its directory in the
/// repository.
fn register(repository: &Repository, path: &Path, commit: &Commit) -> Result<PathBuf> {
    let parked = parked(path);
    let has_files = path.exists();
    if has_files {
        fs::rename(path, &parked).map_err(Error::io("rename", path))?;
    }
    // A path that is not UTF-8 can't be that of an executable
    let text = path.to_string_lossy();
    let added =
        repository.run(&["worktree", "add", "--no-checkout", "--detach", &text, &commit.id]);
    if has_files {
        if added.is_ok() {
            let link = |tree: &Path| tree.join(".git");
            fs::rename(link(path), link(&parked)).map_err(Error::io("rename", path))?;
            fs::remove_dir(path).map_err(Error::io("remove", path))?;
        }
        fs::rename(&parked, path).map_err(Error::io("rename", &parked))?;
    }
    added?;
    let unknown = || Error::Git {
        command: "worktree".to_owned(),
        output: format!("{} is not a work tree", path.display()),
    };
    registration(&path.join(".git")).ok_or_else(unknown)
}

/// Reads the directory of a work tree in its repository from the file that names it.
fn registration(link: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(link).ok()?;
    let path = PathBuf::from(text.trim_end().strip_prefix("gitdir: ")?);
    let is_of_worktree = path.parent()?.file_name()? == "worktrees";
    (path.is_absolute() && is_of_worktree).then_some(path)
}
