//! The user's git work tree, as the program `git` knows it. Without the program or a work tree nothing is known.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use iai_callgrind_explain::Revision;

/// Returns the state of the work tree that contains this workspace. The results in `home` are not a part of it.
pub(crate) fn revision(workspace: &Path, home: &Path) -> Option<Revision> {
    let text = git(workspace, &["rev-parse", "--show-toplevel", "--show-prefix", "HEAD"])?;
    let [top, prefix, commit] = text.lines().collect::<Vec<_>>().try_into().ok()?;
    let top = Path::new(top);
    let home = home.canonicalize().ok()?;
    let status = git(workspace, &["status", "--porcelain=v1", "-z", "--no-renames"])?;
    // Two letters, a blank and the path. A directory without a file of git's is one entry
    let paths = status.split('\0').filter_map(|entry| entry.get(3..));
    let uncommitted: BTreeMap<_, _> = paths
        .filter(|path| !home.starts_with(top.join(path)))
        .map(|path| (path.to_owned(), stamp(&top.join(path))))
        .collect();
    Some(Revision { commit: commit.to_owned(), prefix: prefix.to_owned(), uncommitted })
}

/// Returns a text that is another one after each change of a file.
fn stamp(path: &Path) -> String {
    fs::symlink_metadata(path).map_or_else(
        |_| "gone".to_owned(),
        |file| format!("{} {}.{}", file.len(), file.mtime(), file.mtime_nsec()),
    )
}

/// Variables that name another repository, set for the hooks of git.
const FOREIGN_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX"];

/// Returns the command that runs `git` in this directory, without hooks.
pub(crate) fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "core.hooksPath=/dev/null"]).args(arguments);
    for name in FOREIGN_VARIABLES {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs `git` and returns its output; `None` if it fails.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = command(directory, arguments);
    // It does not write to the work tree, for example to the index
    command.env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Finds the files that changed between two states of a work tree. Each two commits are compared once.
#[derive(Debug)]
pub(crate) struct WorkTree {
    /// A directory in the work tree.
    directory: PathBuf,
    committed: RefCell<HashMap<[String; 2], Option<BTreeSet<String>>>>,
}

impl WorkTree {
    /// Returns the work tree that contains this directory, if there is one.
    pub(crate) fn of(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), committed: RefCell::default() }
    }

    /// Returns the paths of the files that changed; `None` if a commit is not in this work tree.
    pub(crate) fn changed(&self, old: &Revision, new: &Revision) -> Option<BTreeSet<String>> {
        let mut changed = self.committed(&old.commit, &new.commit)?;
        let sides = [&old.uncommitted, &new.uncommitted];
        for path in sides.iter().flat_map(|side| side.keys()) {
            if sides[0].get(path) != sides[1].get(path) {
                changed.insert(path.clone());
            }
        }
        Some(changed)
    }

    /// Returns the paths of the files that differ between two commits.
    fn committed(&self, old: &str, new: &str) -> Option<BTreeSet<String>> {
        let is_commit =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if old == new {
            return Some(BTreeSet::new());
        }
        // They come from a file, and must not be options
        if !(is_commit(old) && is_commit(new)) {
            return None;
        }
        let mut known = self.committed.borrow_mut();
        let compare = || {
            let options = ["diff", "--name-only", "--no-renames", "-z", old, new, "--"];
            let paths = git(&self.directory, &options)?;
            Some(paths.split_terminator('\0').map(str::to_owned).collect())
        };
        known.entry([old.to_owned(), new.to_owned()]).or_insert_with(compare).clone()
    }
}

#[cfg(test)]
mod tests;
