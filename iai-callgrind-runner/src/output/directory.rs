//! The directories that results go to: none outside of the output directory.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Result};

/// Creates the directories from `root` down to this one, as far as they are not there. A symbolic link among
/// them must not lead out of `root`.
pub(crate) fn create_below(root: &Path, directory: &Path) -> Result<()> {
    let mut path = root.to_owned();
    fs::create_dir_all(root).map_err(Error::io("create the output directory", root))?;
    for name in directory.strip_prefix(root).into_iter().flat_map(Path::components) {
        path.push(name);
        match fs::create_dir(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check(root, &path)?,
            created => created.map_err(Error::io("create the directory", &path))?,
        }
    }
    Ok(())
}

fn check(root: &Path, path: &Path) -> Result<()> {
    let is_directory = fs::metadata(path).is_ok_and(|metadata| metadata.is_dir());
    if !is_directory {
        return Err(Error::Output(format!(
            "{} is in the way: it is not a directory, but results go there.\nRemove it, or choose another \
             output directory with --home",
            path.display()
        )));
    }
    let is_link = path.is_symlink();
    let real = |path: &Path| path.canonicalize().map_err(Error::io("follow", path));
    if is_link && !real(path)?.starts_with(real(root)?) {
        return Err(Error::Output(format!(
            "{} is a symbolic link that leads out of {}: nothing is written there.\nRemove the link, or \
             choose another output directory with --home",
            path.display(),
            root.display()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn directories_are_created_where_nothing_is_in_the_way() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("root");
        let create = |path: &str| create_below(&root, &root.join(path));
        create("a/b").unwrap();
        create("a/b").unwrap();
        assert!(root.join("a/b").is_dir());
        symlink(root.join("a"), root.join("inside")).unwrap();
        create("inside/c").unwrap();
        assert!(root.join("a/c").is_dir());

        fs::write(root.join("file"), "").unwrap();
        assert!(create("file/b").unwrap_err().to_string().contains("root/file is in the way"));
        symlink("nowhere", root.join("dangling")).unwrap();
        assert!(create("dangling/b").unwrap_err().to_string().contains("is in the way"));
    }

    #[test]
    fn no_link_leads_out() {
        let parent = tempfile::tempdir().unwrap();
        let (root, outside) = (parent.path().join("root"), parent.path().join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        symlink(&outside, root.join("link")).unwrap();
        for path in ["link", "link/a/b"] {
            let error = create_below(&root, &root.join(path)).unwrap_err().to_string();
            assert!(error.contains("is a symbolic link that leads out of"), "{error}");
        }
        assert_eq!(fs::read_dir(outside).unwrap().count(), 0);

        // The output directory itself can be one
        let link = parent.path().join("link");
        symlink(&root, &link).unwrap();
        create_below(&link, &link.join("a")).unwrap();
    }
}
