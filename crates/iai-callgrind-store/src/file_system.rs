//! Creates directories and replaces files, only in the output directory.

use iai_callgrind_process::STAGING;
use iai_callgrind_profile::files;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, statvfs};
use rustix::process::geteuid;
use tempfile::NamedTempFile;

use super::error::OutputError;
use crate::ownership::check_owner;
use crate::{Error, Result};

/// Returns `true` if there is a file or a link, even a dangling one.
pub(super) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Creates the directories from `root` down to this one. Each must be a directory that this user
/// may write to, see `check_owner`. Only `root` can be a symbolic link.
pub fn create_below(root: &Path, directory: &Path) -> Result<()> {
    let mut path = root.to_owned();
    if exists(root) && !root.is_dir() {
        return Err(OutputError::NotADirectory { path: root.to_owned() }.into());
    }
    fs::create_dir_all(root).map_err(Error::io("create the output directory", root))?;
    check_owner(root, root)?;
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
    let kind = path.symlink_metadata().map(|metadata| metadata.file_type());
    if kind.as_ref().is_ok_and(fs::FileType::is_symlink) {
        return Err(OutputError::LinkBelow { path: path.to_owned() }.into());
    }
    if !kind.is_ok_and(|kind| kind.is_dir()) {
        return Err(OutputError::NotADirectory { path: path.to_owned() }.into());
    }
    check_owner(path, root)
}

/// Replaces a file in one step: the previous content stays until the new one is complete.
pub fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    write_and_rename(create_sibling(path)?, path, content)
}

/// Replaces a file in one step, without waiting for the disk: its content can be generated again.
pub fn replace_page(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = create_sibling(path)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

/// Writes a temporary file and renames it.
pub(super) fn write_and_rename(
    mut file: NamedTempFile,
    path: &Path,
    content: &[u8],
) -> io::Result<()> {
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Creates a temporary file in the directory of this path, with the permissions of an ordinary new file.
pub fn create_sibling(path: &Path) -> io::Result<NamedTempFile> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(STAGING)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory.unwrap_or(Path::new(".")))
}

/// Returns `true` if the file system of this directory has no space left.
pub fn is_full(directory: &Path) -> bool {
    // Some of the space is reserved for the superuser
    let is_superuser = geteuid().is_root();
    let free = |space: StatVfs| if is_superuser { space.f_bfree } else { space.f_bavail };
    statvfs(directory).is_ok_and(|space| free(space) == 0)
}

/// Returns `true` if all of these are files with the same content.
pub(super) fn are_same(paths: &[PathBuf]) -> bool {
    let length = |path: &PathBuf| {
        path.symlink_metadata().ok().filter(fs::Metadata::is_file).map(|file| file.len())
    };
    let Some(lengths) = paths.iter().map(length).collect::<Option<Vec<_>>>() else { return false };
    lengths.windows(2).all(|pair| pair[0] == pair[1]) && have_same_content(paths).unwrap_or(false)
}

/// Compares the contents of files, a part at a time.
fn have_same_content(paths: &[PathBuf]) -> io::Result<bool> {
    const PART: usize = 1 << 16;
    let mut files = paths.iter().map(files::open).collect::<io::Result<Vec<_>>>()?;
    // A clone of an empty vector has no capacity
    let mut parts: Vec<_> = files.iter().map(|_| Vec::with_capacity(PART)).collect();
    loop {
        for (file, part) in files.iter_mut().zip(&mut parts) {
            part.clear();
            file.take(PART as u64).read_to_end(part)?;
        }
        if parts.windows(2).any(|pair| pair[0] != pair[1]) {
            return Ok(false);
        }
        if parts.iter().all(Vec::is_empty) {
            return Ok(true);
        }
    }
}

/// Reads a file; `None` if there is none.
pub fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>> {
    match files::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(Error::io("read", path)),
    }
}

/// Removes a file if it exists.
pub fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        _ => Ok(()),
    }
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

        fs::write(root.join("file"), "").unwrap();
        assert!(create("file/b").unwrap_err().to_string().contains("root/file: not a directory"));
    }

    #[test]
    fn links_are_not_followed_below_the_root() {
        let parent = tempfile::tempdir().unwrap();
        let (root, outside) = (parent.path().join("root"), parent.path().join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::create_dir(root.join("inside")).unwrap();
        symlink(&outside, root.join("link")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("inside", root.join("link-inside")).unwrap();
        for path in ["link", "link/a/b", "dangling/b", "link-inside/b"] {
            let error = create_below(&root, &root.join(path)).unwrap_err().to_string();
            assert!(error.contains(": a symbolic link below the output directory\n"), "{error}");
        }
        assert_eq!(fs::read_dir(outside).unwrap().count(), 0);

        // The root itself can be a link
        let link = parent.path().join("link");
        symlink(&root, &link).unwrap();
        create_below(&link, &link.join("a")).unwrap();
        // But not one to nothing
        let nothing = root.join("dangling");
        let error = create_below(&nothing, &nothing.join("a")).unwrap_err().to_string();
        assert!(error.contains("dangling: not a directory\nhelp: "), "{error}");
    }
}
