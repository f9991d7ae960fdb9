//! The user's git work tree, as the program `git` knows it. Without the program or a work tree nothing is known.

mod checkout;
pub(crate) mod error;
mod measured_commit;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use iai_callgrind_explain::Revision;
use iai_callgrind_plan::{decode, encode};

pub use self::checkout::{Checkout, forget_selection, run};
pub use self::measured_commit::MeasuredCommit;

/// The state of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTreeState {
    /// The commit and the changes since.
    pub revision: Revision,
    /// The hash of the files in the commit.
    pub tree: String,
}

/// Number and size of uncommitted files whose contents are compared.
const MAX_HASHED: usize = 100;
const MAX_HASHED_SIZE: u64 = 1 << 20;

/// Start of the stamp of a file with a known content.
const CONTENT: &str = "content ";

/// The stamp of a file that was removed.
const GONE: &str = "gone";

/// Returns the state of the work tree that contains this workspace. The results in `home` are not a part of it, nor are files
/// that no build reads.
pub fn state(
    workspace: &Path,
    home: &Path,
    is_unread: impl Fn(&Path) -> bool,
) -> Option<WorkTreeState> {
    let checkout = Checkout::find(workspace)?;
    let ids = checkout.ask(&["rev-parse", "HEAD", "HEAD^{tree}"])?;
    let [commit, tree] = ids.lines().collect::<Vec<_>>().try_into().ok()?;
    let top = &checkout.top;
    let home = home.canonicalize().ok()?;
    let prefix = prefix(&workspace.canonicalize().ok()?, top)?;
    let status = checkout.ask_bytes(&["status", "--porcelain=v1", "-z", "--no-renames"])?;
    // Two letters, a blank and the path. A directory without a file of git's is one entry
    let entries = status.split(|byte| *byte == 0).filter(|entry| !is_new_lock_file(entry));
    let paths = entries.filter_map(|entry| entry.get(3..)).map(OsStr::from_bytes);
    let uncommitted: BTreeMap<_, _> = paths
        .map(|path| (path, top.join(path)))
        .filter(|(_, file)| !home.starts_with(file) && !is_unread(file))
        .map(|(path, file)| (encode(path), stamp(&file)))
        .collect();
    let uncommitted = with_contents(&checkout, uncommitted);
    let revision = Revision { commit: commit.to_owned(), prefix, uncommitted };
    Some(WorkTreeState { revision, tree: tree.to_owned() })
}

/// Returns the short id and the subject of the commit that is checked out around this directory: `3f1c2ab "Sort words"`.
/// Changes that are not committed are mentioned.
pub fn head(directory: &Path) -> Option<String> {
    let checkout = Checkout::find(directory)?;
    let commit = checkout.ask(&["log", "-1", "--format=%h \"%s\""])?;
    let status = checkout.ask(&["status", "--porcelain=v1", "--untracked-files=no"])?;
    let changes = if status.is_empty() { "" } else { " with uncommitted changes" };
    Some(format!("{}{changes}", commit.trim()))
}

/// Returns true for a lock file that is not git's: cargo writes it for any commit. The versions in it are known as a part
/// of the environment.
fn is_new_lock_file(entry: &[u8]) -> bool {
    let path = entry.strip_prefix(b"?? ").map(OsStr::from_bytes);
    path.is_some_and(|path| Path::new(path).ends_with("Cargo.lock"))
}

/// Returns the path of a directory in the work tree, with a slash at its end. That of the top is empty.
fn prefix(directory: &Path, top: &Path) -> Option<String> {
    let path = encode(directory.strip_prefix(top).ok()?.as_os_str());
    Some(if path.is_empty() { String::new() } else { format!("{path}/") })
}

/// Replaces the stamps of files by the ids of their contents, as commits have them, if they are not many.
fn with_contents(
    checkout: &Checkout,
    mut stamps: BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let is_small = |path: &&String| {
        let file = fs::symlink_metadata(checkout.top.join(decode(path)));
        file.is_ok_and(|file| file.is_file() && file.len() <= MAX_HASHED_SIZE)
    };
    let hashed: Vec<_> = stamps.keys().filter(is_small).cloned().collect();
    if hashed.is_empty() || hashed.len() > MAX_HASHED {
        return stamps;
    }
    let paths = hashed.iter().map(|path| decode(path));
    let command = ["hash-object", "--"].map(OsString::from);
    let arguments: Vec<_> = command.into_iter().chain(paths).collect();
    let ids = checkout.ask(&arguments).unwrap_or_default();
    let ids: Vec<_> = ids.lines().collect();
    if ids.len() == hashed.len() {
        stamps.extend(hashed.into_iter().zip(ids).map(|(path, id)| (path, content(id))));
    }
    stamps
}

/// Returns the stamp of a file whose content has this id.
fn content(id: &str) -> String {
    format!("{CONTENT}{id}")
}

/// Returns the text of a file of the work tree that still has the content with this id. The path comes from a result, so it
/// can name anything.
fn current(checkout: &Checkout, path: &str, id: &str) -> Option<String> {
    let path = PathBuf::from(decode(path));
    let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
    let file = checkout.top.join(path).canonicalize().ok().filter(|_| is_within)?;
    let is_hashed = |file: &Metadata| file.is_file() && file.len() <= MAX_HASHED_SIZE;
    if !file.starts_with(&checkout.top) || !fs::metadata(&file).is_ok_and(|file| is_hashed(&file)) {
        return None;
    }
    let hash = ["hash-object", "--"].map(OsString::from);
    let found = checkout.ask(&[&hash[..], &[file.clone().into()]].concat())?;
    fs::read_to_string(file).ok().filter(|_| found.trim_end() == id)
}

/// Returns a text that changes with a file.
fn stamp(path: &Path) -> String {
    fs::symlink_metadata(path).map_or_else(
        |_| GONE.to_owned(),
        |file| format!("{} {}.{}", file.len(), file.mtime(), file.mtime_nsec()),
    )
}

/// Returns true if a text looks like the id of a commit or another object, and so not like an option.
pub fn is_id(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Finds the files that changed between two states of a work tree. Each two commits are compared once.
#[derive(Debug)]
pub struct WorkTree {
    /// A directory in the work tree.
    directory: PathBuf,
    checkout: OnceCell<Option<Checkout>>,
    committed: RefCell<HashMap<[String; 2], Option<BTreeSet<String>>>>,
    /// Stamps of committed files, by the commit and the path.
    contents: RefCell<HashMap<String, String>>,
    /// The texts of files by the ids of their contents; `None` for those that are gone.
    texts: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl WorkTree {
    /// Returns the work tree that contains this directory, if there is one.
    pub fn of(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            checkout: OnceCell::new(),
            committed: RefCell::default(),
            contents: RefCell::default(),
            texts: RefCell::default(),
        }
    }

    /// Returns the paths of the files that changed; `None` if a commit is not in this work tree.
    pub fn changed(&self, old: &Revision, new: &Revision) -> Option<BTreeSet<String>> {
        let mut changed = self.committed(&old.commit, &new.commit)?;
        let sides = [&old.uncommitted, &new.uncommitted];
        for path in sides.iter().flat_map(|side| side.keys()) {
            let [old, new] = [old, new].map(|side| self.state(side, path));
            if old == new {
                changed.remove(path);
            } else {
                changed.insert(path.clone());
            }
        }
        Some(changed)
    }

    /// Returns the stamp of a file in this state of the work tree. That of a file that is not in it is empty.
    fn state(&self, side: &Revision, path: &str) -> String {
        if let Some(stamp) = side.uncommitted.get(path) {
            return stamp.clone();
        }
        let name = format!("{}:{path}", side.commit);
        let mut known = self.contents.borrow_mut();
        let find = |name: &String| {
            let options = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
            let id = [&options.map(OsString::from)[..], &[decode(name)]].concat();
            let id = self.checkout().and_then(|checkout| checkout.ask(&id));
            id.map(|id| content(id.trim_end())).unwrap_or_default()
        };
        known.entry(name).or_insert_with_key(find).clone()
    }

    /// Returns the text of a file in this state of the work tree, if git has it or the file is still the same. The text of a
    /// file that did not exist is empty.
    pub fn text(&self, side: &Revision, path: &str) -> Option<Rc<str>> {
        let stamp = self.state(side, path);
        // The path of the whole tree is empty
        let is_known = || !self.state(side, "").is_empty();
        if stamp == GONE || (stamp.is_empty() && is_known()) {
            return Some(Rc::from(""));
        }
        let id = stamp.strip_prefix(CONTENT).filter(|id| is_id(id))?;
        let mut known = self.texts.borrow_mut();
        let read = || {
            let checkout = self.checkout()?;
            let text = checkout.ask(&["cat-file", "blob", id]);
            text.or_else(|| current(checkout, path, id)).map(Rc::from)
        };
        known.entry(id.to_owned()).or_insert_with(read).clone()
    }

    fn checkout(&self) -> Option<&Checkout> {
        self.checkout.get_or_init(|| Checkout::find(&self.directory)).as_ref()
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
            let paths = self.checkout()?.ask_bytes(&options)?;
            let paths = paths.split(|byte| *byte == 0).filter(|path| !path.is_empty());
            Some(paths.map(|path| encode(OsStr::from_bytes(path))).collect())
        };
        known.entry([old.to_owned(), new.to_owned()]).or_insert_with(compare).clone()
    }
}

#[cfg(test)]
mod tests;
