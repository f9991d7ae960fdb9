//! The user's git work tree, as the program `git` knows it. Without the program or a work tree nothing is known.

mod checkout;
mod measured_commit;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use iai_callgrind_explain::Revision;

pub(crate) use self::checkout::{Checkout, forget_selection, run};
pub(crate) use self::measured_commit::{COMMIT, MeasuredCommit};

/// The state of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkTreeState {
    pub(crate) revision: Revision,
    /// The hash of the files in the commit.
    pub(crate) tree: String,
}

/// Returns the state of the work tree that contains this workspace. The results in `home` are not a part of it.
pub(crate) fn state(workspace: &Path, home: &Path) -> Option<WorkTreeState> {
    let checkout = Checkout::find(workspace)?;
    let ids = checkout.ask(&["rev-parse", "HEAD", "HEAD^{tree}"])?;
    let [commit, tree] = ids.lines().collect::<Vec<_>>().try_into().ok()?;
    let top = &checkout.top;
    let home = home.canonicalize().ok()?;
    let prefix = prefix(&workspace.canonicalize().ok()?, top)?;
    let status = checkout.ask(&["status", "--porcelain=v1", "-z", "--no-renames"])?;
    // Two letters, a blank and the path. A directory without a file of git's is one entry
    let paths = status.split('\0').filter_map(|entry| entry.get(3..));
    let uncommitted: BTreeMap<_, _> = paths
        .filter(|path| !home.starts_with(top.join(path)))
        .map(|path| (path.to_owned(), stamp(&top.join(path))))
        .collect();
    let revision = Revision { commit: commit.to_owned(), prefix, uncommitted };
    Some(WorkTreeState { revision, tree: tree.to_owned() })
}

/// Returns the path of a directory in the work tree, with a slash at its end. That of the top is empty.
fn prefix(directory: &Path, top: &Path) -> Option<String> {
    let path = directory.strip_prefix(top).ok()?.to_str()?;
    Some(if path.is_empty() { String::new() } else { format!("{path}/") })
}

/// Returns a text that is another one after each change of a file.
fn stamp(path: &Path) -> String {
    fs::symlink_metadata(path).map_or_else(
        |_| "gone".to_owned(),
        |file| format!("{} {}.{}", file.len(), file.mtime(), file.mtime_nsec()),
    )
}

/// Returns true if a text looks like the id of a commit or another object, which is no option of a command.
pub(crate) fn is_id(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Finds the files that changed between two states of a work tree. Each two commits are compared once.
#[derive(Debug)]
pub(crate) struct WorkTree {
    /// A directory in the work tree.
    directory: PathBuf,
    checkout: OnceCell<Option<Checkout>>,
    committed: RefCell<HashMap<[String; 2], Option<BTreeSet<String>>>>,
}

impl WorkTree {
    /// Returns the work tree that contains this directory, if there is one.
    pub(crate) fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            checkout: OnceCell::new(),
            committed: RefCell::default(),
        }
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
        if old == new {
            return Some(BTreeSet::new());
        }
        // They come from a file, and must not be options
        if !(is_id(old) && is_id(new)) {
            return None;
        }
        let mut known = self.committed.borrow_mut();
        let compare = || {
            let options = ["diff", "--name-only", "--no-renames", "-z", old, new, "--"];
            let checkout = self.checkout.get_or_init(|| Checkout::find(&self.directory));
            let paths = checkout.as_ref()?.ask(&options)?;
            Some(paths.split_terminator('\0').map(str::to_owned).collect())
        };
        known.entry([old.to_owned(), new.to_owned()]).or_insert_with(compare).clone()
    }
}

#[cfg(test)]
mod tests;
