//! Directories for other revisions. What other users could have prepared there is not used.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use iai_callgrind_store::{OutputError, is_own};

use crate::error::{Error, Result};

/// Creates a directory, whose parent exists. One that exists must be the user's own, and not a link.
pub(super) fn create_own(path: &Path) -> Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => return created.map_err(Error::io("create the directory", path)),
    }
    let found = fs::symlink_metadata(path).map_err(Error::io("read", path))?;
    if !found.is_dir() {
        return Err(OutputError::NotADirectory { path: path.to_owned() }.into());
    }
    if !is_own(&found) {
        return Err(OutputError::OtherOwner { path: path.to_owned() }.into());
    }
    Ok(())
}

/// Creates the directories from `root`, which exists, down to this path in it. Each must be the user's own.
pub(super) fn create_all_own(root: &Path, path: &Path) -> Result<PathBuf> {
    let mut directory = root.to_owned();
    for component in path.components() {
        directory.push(component);
        create_own(&directory)?;
    }
    Ok(directory)
}

/// Returns true if there is a symbolic link below a directory. Git writes through links in its own directories.
pub(super) fn has_links(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut kinds = entries.filter_map(|entry| Some((entry.file_type().ok()?, entry.path())));
    kinds.any(|(kind, path)| kind.is_symlink() || kind.is_dir() && has_links(&path))
}

/// Returns the place of a file with this path in the work tree of another revision; `None` if the
/// path, or a link of the revision, could lead out of it.
pub(super) fn place_in(tree: &Path, path: &Path) -> Option<PathBuf> {
    let mut place = tree.to_owned();
    for component in path.components() {
        if place.is_symlink() {
            return None;
        }
        match component {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            Component::ParentDir if place != tree => _ = place.pop(),
            _ => return None,
        }
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_found_and_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir_all(parent.path().join("git/modules/a")).unwrap();
        fs::write(parent.path().join("git/index"), "").unwrap();
        assert!(!has_links(&parent.path().join("git")));
        assert!(!has_links(&parent.path().join("missing")));
        symlink(parent.path(), parent.path().join("git/modules/a/index")).unwrap();
        assert!(has_links(&parent.path().join("git")));
    }

    #[test]
    fn only_own_directories_are_used() {
        let parent = tempfile::tempdir().unwrap();
        let own = parent.path().join("own");
        create_own(&own).unwrap();
        create_own(&own).unwrap();
        symlink(&own, parent.path().join("link")).unwrap();
        fs::write(parent.path().join("file"), "").unwrap();
        for name in ["link", "file"] {
            let error = create_own(&parent.path().join(name)).unwrap_err().to_string();
            assert!(error.contains(": not a directory\n"), "{error}");
        }
        let error = create_all_own(parent.path(), Path::new("link/below")).unwrap_err();
        assert!(error.to_string().contains("link: not a directory\n"), "{error}");
        assert_eq!(fs::read_dir(&own).unwrap().count(), 0);
        // The directory of all processes belongs to the superuser, a process's directory to its
        // user
        let (other, is_superuser) = (Path::new("/proc"), rustix::process::geteuid().is_root());
        let foreign = if is_superuser { parent.path() } else { other };
        if is_superuser {
            std::os::unix::fs::chown(foreign, Some(12345), None).unwrap();
        }
        let error = create_own(foreign).unwrap_err().to_string();
        assert!(error.contains("it belongs to another user\nhelp: "), "{error}");
    }

    #[test]
    fn no_place_is_outside_of_the_tree() {
        let parent = tempfile::tempdir().unwrap();
        let tree = parent.path().join("tree");
        fs::create_dir_all(tree.join("a")).unwrap();
        symlink("..", tree.join("a/up")).unwrap();
        for path in ["/etc/passwd", "..", "a/../../b", "a/up/b", "a/up/../b"] {
            assert_eq!(place_in(&tree, Path::new(path)), None, "{path}");
        }
        assert_eq!(place_in(&tree, Path::new("a/../b/./c")), Some(tree.join("b/c")));
        // The last name can be a link: it is replaced
        assert_eq!(place_in(&tree, Path::new("a/up")), Some(tree.join("a/up")));
    }
}
