//! Where files lie: the output directory of a benchmark file, its lock, and its staging directory.

mod directory;
mod files;
mod flamegraphs;
mod slot;
mod stored;
mod transaction;
mod version;

use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::{FileExt, TryLockError};
use tempfile::{NamedTempFile, TempDir};

pub(crate) use self::directory::create_below;
pub(crate) use self::files::{Files, text_of};
pub(crate) use self::slot::Slot;
pub(crate) use self::transaction::Transaction;
use crate::error::{Error, Result};
use crate::note::Note;
use crate::process::{STAGING, TemporaryDirectory, is_staging, pause};

/// How often to look whether another run has ended.
const TURN: Duration = Duration::from_millis(20);

/// Writes a file in one piece: what was there before stays until all is written.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    write_by(beside(path)?, path, content)
}

/// Writes a file by means of a temporary one.
fn write_by(mut file: NamedTempFile, path: &Path, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// A temporary file in the directory of this one, with the permissions that a new file has.
pub(crate) fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty());
    tempfile::Builder::new()
        .prefix(STAGING)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory.unwrap_or(Path::new(".")))
}

/// The output directory of a benchmark file, which nobody else uses as long as this lives.
#[derive(Debug)]
pub(crate) struct OutputDirectory {
    path: PathBuf,
    _lock: File,
}

impl OutputDirectory {
    /// Creates the directory in `home`, the one of all results, if need be, and waits until no other run
    /// uses it.
    pub(crate) fn open(home: &Path, path: &Path) -> Result<Self> {
        version::check(home)?;
        create_below(home, path)?;
        let directory = Self { path: path.to_owned(), _lock: lock(path)? };
        version::write(home)?;
        directory.remove_leftovers(home)?;
        Ok(directory)
    }

    /// A new directory for what the tools write, on the same file system as the results, so that
    /// these can be renamed into place. It goes when the value goes.
    pub(crate) fn staging(&self) -> Result<TemporaryDirectory> {
        staging_directory(&self.path)
    }

    /// Removes what killed runs left behind, and takes back what they had not finished. It's ours: we hold
    /// the lock.
    fn remove_leftovers(&self, home: &Path) -> Result<()> {
        for path in leftovers(&self.path) {
            transaction::recover(&path)?;
            // Files are what was to become a summary, but in `home` another run may be about to write the
            // format's version
            let is_removed = fs::remove_dir_all(&path).is_ok() || self.path == home;
            if !is_removed {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }
}

/// Creates a staging directory in this directory, which is created if it does not exist.
pub(crate) fn staging_directory(parent: &Path) -> Result<TemporaryDirectory> {
    TemporaryDirectory::create(|| {
        fs::create_dir_all(parent).map_err(Error::io("create the directory", parent))?;
        let directory = tempfile::Builder::new().prefix(STAGING).tempdir_in(parent);
        directory.map(TempDir::keep).map_err(Error::io("create a directory in", parent))
    })
}

/// Waits for an import into this directory that is under way, and takes back one that was killed.
pub(crate) fn settle_imports(home: &Path) -> Result<()> {
    let is_import = |leftover: PathBuf| leftover.is_dir();
    if leftovers(home).any(is_import) {
        OutputDirectory::open(home, home).map(drop)
    } else {
        Ok(())
    }
}

/// What in this directory has not come to its place, of a run that is under way or was killed.
fn leftovers(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_staging(path))
}

/// Waits until nobody else has the lock of this directory.
fn lock(directory: &Path) -> Result<File> {
    let path = directory.join(".lock");
    let mut waits = false;
    loop {
        let file = open_lock(&path).map_err(Error::io("open", &path))?;
        match FileExt::try_lock(&file) {
            // Somebody may have removed the directory meanwhile, and a third one has another file
            Ok(()) if is_still_there(&file, &path) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if !waits {
                    Note::Waiting { directory }.print();
                }
                waits = true;
                pause(TURN)?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
    }
}

/// Opens the file, and nothing that a symbolic link leads to.
fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false).custom_flags(libc::O_NOFOLLOW).open(path)
}

fn is_still_there(file: &File, path: &Path) -> bool {
    let number = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (ours, there) = (file.metadata().map(number), path.metadata().map(number));
    ours.is_ok_and(|ours| there.is_ok_and(|there| ours == there))
}

/// Whether no more can be written to the file system of this directory.
pub(crate) fn is_full(directory: &Path) -> bool {
    // A part is for the superuser
    // SAFETY: without pointers.
    let is_superuser = unsafe { libc::geteuid() } == 0;
    let space = if is_superuser { fs4::free_space } else { fs4::available_space };
    space(directory).is_ok_and(|space| space == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All files below a directory, with what is in them.
    pub(super) fn tree(directory: &Path) -> Vec<(String, String)> {
        let mut files = Vec::new();
        for entry in fs::read_dir(directory).unwrap().flatten() {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if path.is_dir() {
                let below = tree(&path).into_iter();
                files.extend(below.map(|(path, content)| (format!("{name}/{path}"), content)));
            } else {
                files.push((name, fs::read_to_string(path).unwrap()));
            }
        }
        files.sort();
        files
    }

    #[test]
    fn results_of_a_newer_version_are_not_touched() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".format-version"), "2").unwrap();
        let directory = home.path().join("package/file");
        assert!(OutputDirectory::open(home.path(), &directory).is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_killed_import_is_taken_back_by_the_next_run() {
        let home = tempfile::tempdir().unwrap();
        let (directory, staging) = (home.path().join("p/f"), home.path().join(".staging-x"));
        fs::create_dir_all(&directory).unwrap();
        fs::create_dir(&staging).unwrap();
        // The first of two renames is done
        let journal = "p/f/a\0.staging-x/before.0\0.staging-x/0\0p/f/a\0";
        fs::write(staging.join("import.journal"), journal).unwrap();
        fs::write(staging.join("before.0"), "last").unwrap();
        fs::write(staging.join("0"), "imported").unwrap();
        settle_imports(home.path()).unwrap();
        assert_eq!(fs::read_to_string(directory.join("a")).unwrap(), "last");
        assert!(!staging.exists());
    }

    #[test]
    fn what_killed_runs_left_goes() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("package/file");
        fs::create_dir_all(directory.join(".staging-a/b")).unwrap();
        fs::write(directory.join(".staging-c"), "").unwrap();
        fs::write(directory.join("result"), "result").unwrap();
        drop(OutputDirectory::open(home.path(), &directory).unwrap());
        let names: Vec<_> = tree(&directory).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [".lock", "result"]);
    }

    #[test]
    fn the_lock_is_no_link() {
        let home = tempfile::tempdir().unwrap();
        let (directory, precious) = (home.path().join("file"), home.path().join("precious"));
        fs::create_dir(&directory).unwrap();
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, directory.join(".lock")).unwrap();
        assert!(OutputDirectory::open(home.path(), &directory).is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    }
}
