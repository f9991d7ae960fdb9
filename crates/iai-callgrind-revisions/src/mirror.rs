//! The directories above the work tree of another revision.
//!
//! A relative path in the repository can lead out of it: a dependency next to it, `include_str!`, the configuration of
//! cargo. So the directories above the work tree have the same names as above the user's. Each of them has links to
//! everything that the user's directory contains, except for the next directory on the way to the work tree.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use iai_callgrind_store::remove_file;

use super::directories::{create_all_own, create_own};
use crate::error::{Error, Result};

/// The directory in place of the root directory. Cargo does not search for a workspace above a directory with this end:
/// it would find the user's. It has this rule for the packages that it unpacks.
const ROOT: &str = "root/target/package";

/// The configuration of cargo, which cargo reads in each directory above the work tree.
const CONFIGURATION: &str = ".cargo";

/// The directories above a work tree. The links are removed when it is dropped.
#[derive(Debug)]
pub(super) struct Mirror {
    root: PathBuf,
    top: PathBuf,
}

impl Mirror {
    /// Creates the directories for the repository at `top` below `directory`, which exists, without links.
    pub(super) fn create(directory: &Path, top: &Path) -> Result<Self> {
        let root = create_all_own(directory, Path::new(ROOT))?;
        let top = top.strip_prefix("/").unwrap_or(top).to_owned();
        let mirror = Self { root, top };
        for (place, _, next) in mirror.levels() {
            remove_others(&place, next)?;
            let directory = place.join(next);
            if directory.is_symlink() {
                // A run for the repository next to this one was killed
                remove_file(&directory)?;
            }
            create_own(&directory)?;
        }
        Ok(mirror)
    }

    /// Returns the directory of the work tree.
    pub(super) fn tree(&self) -> PathBuf {
        self.root.join(&self.top)
    }

    /// Returns a text of cargo with the user's paths in place of those in the mirror.
    pub(super) fn original(&self, text: &str) -> String {
        let root = self.root.to_string_lossy();
        text.replace(&*root, "")
    }

    /// Links the neighbours of the directories above the repository. A directory that can't be
    /// listed, or a file system without links, has none: cargo then reports the missing
    /// dependencies.
    pub(super) fn link(&self) {
        let home = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        for (place, original, next) in self.levels() {
            // Otherwise cargo would read it twice
            let is_above = home.starts_with(&original);
            for entry in fs::read_dir(&original).into_iter().flatten().flatten() {
                let name = entry.file_name();
                if name != next && !(is_above && name == CONFIGURATION) {
                    let _ = symlink(original.join(&name), place.join(&name));
                }
            }
        }
    }

    /// Returns each directory above the work tree, with the original and the name of the next one.
    fn levels(&self) -> impl Iterator<Item = (PathBuf, PathBuf, &OsStr)> {
        let mut path = PathBuf::new();
        self.top.iter().map(move |next| {
            let level = (self.root.join(&path), Path::new("/").join(&path), next);
            path.push(next);
            level
        })
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        for (place, _, next) in self.levels() {
            let _ = remove_others(&place, next);
        }
    }
}

/// Removes everything in this directory apart from the next one: links of an earlier run, and work trees of a repository
/// that was moved.
fn remove_others(place: &Path, next: &OsStr) -> Result<()> {
    let entries = fs::read_dir(place).map_err(Error::io("read the directory", place))?;
    for entry in entries.flatten().filter(|entry| entry.file_name() != next) {
        let path = entry.path();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = if is_directory { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(Error::io("remove", &path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Lists the names in a directory.
    fn names(directory: &Path) -> HashSet<String> {
        let entries = fs::read_dir(directory).unwrap().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn paths_that_leave_the_repository_lead_to_the_same_files() {
        let directory = tempfile::tempdir().unwrap();
        let above = directory.path().canonicalize().unwrap();
        let top = above.join("work/project");
        let own = above.join("results/.against");
        for path in ["work/project/src", "work/sibling", "work/.cargo", "other", "results/.against"]
        {
            fs::create_dir_all(above.join(path)).unwrap();
        }
        fs::write(above.join("work/sibling/file"), "sibling").unwrap();
        fs::write(above.join("other/file"), "other").unwrap();
        let mirror = Mirror::create(&own, &top).unwrap();
        let tree = mirror.tree();
        assert!(tree.starts_with(&own) && tree.ends_with(top.strip_prefix("/").unwrap()));
        fs::create_dir(tree.join("src")).unwrap();
        mirror.link();
        for (path, content) in
            [("../sibling/file", "sibling"), ("src/../../../other/file", "other")]
        {
            assert_eq!(fs::read_to_string(tree.join(path)).unwrap(), content);
        }
        // Another user's configuration is found in the mirror, the one above both only once
        assert!(tree.join("../.cargo").is_symlink());
        fs::create_dir(above.join(".cargo")).unwrap();
        drop(mirror);
        let mirror = Mirror::create(&own, &top).unwrap();
        mirror.link();
        assert!(!tree.join("../../.cargo").exists());
        assert!(tree.join("src").is_dir(), "the work tree stays");
        drop(mirror);
        assert_eq!(names(&tree.join("..")), HashSet::from(["project".to_owned()]));
        assert_eq!(names(&above.join("work/sibling")).len(), 1);

        // A run in the sibling was killed, and the repository was moved
        symlink(above.join("work/moved"), tree.join("../moved")).unwrap();
        let moved = Mirror::create(&own, &above.join("work/moved")).unwrap();
        assert!(!tree.exists() && moved.tree().is_dir());
    }

    #[test]
    fn a_repository_in_the_root_directory_has_no_directories_above() {
        let own = tempfile::tempdir().unwrap();
        let mirror = Mirror::create(own.path(), Path::new("/")).unwrap();
        mirror.link();
        assert_eq!(names(&mirror.tree()).len(), 0);
    }
}
