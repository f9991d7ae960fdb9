//! The output directory of a benchmark file, with its lock and its staging directories.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::{FileExt, TryLockError};
use tempfile::TempDir;

use super::file_system::create_below;
use super::{transaction, version};
use crate::error::{Error, Result};
use crate::note::Note;
use crate::process::{STAGING, TemporaryDirectory, is_staging, pause};

/// Interval at which a lock that another run holds is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The output directory of a benchmark file, locked against other runs.
#[derive(Debug)]
pub(crate) struct OutputDirectory {
    path: PathBuf,
    _lock: File,
}

impl OutputDirectory {
    /// Opens the directory in `home`, the directory of all results, and creates it if it does not exist. Waits
    /// until no other run uses it.
    pub(crate) fn open(home: &Path, path: &Path) -> Result<Self> {
        version::check(home)?;
        let directory = Self { path: path.to_owned(), _lock: lock(home, path)? };
        version::write(home)?;
        directory.remove_leftovers(home)?;
        Ok(directory)
    }

    /// Creates a temporary directory for the tools' files. It is on the file system of the results, so that
    /// files can be renamed into place.
    pub(crate) fn staging(&self) -> Result<TemporaryDirectory> {
        staging_directory(&self.path)
    }

    /// Removes the staging directories of killed runs and undoes their incomplete transactions.
    fn remove_leftovers(&self, home: &Path) -> Result<()> {
        for path in leftovers(&self.path) {
            transaction::recover(&path)?;
            // A file is an incomplete summary. In `home` it can also be the version file of another run
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

/// Waits for a running import into this directory, and undoes one that was killed.
pub(crate) fn settle_imports(home: &Path) -> Result<()> {
    let is_import = |leftover: PathBuf| leftover.is_dir();
    if leftovers(home).any(is_import) {
        OutputDirectory::open(home, home).map(drop)
    } else {
        Ok(())
    }
}

/// Lists the staging files and directories of running and killed runs.
fn leftovers(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| is_staging(path))
}

/// Creates a directory and waits for its lock.
fn lock(home: &Path, directory: &Path) -> Result<File> {
    loop {
        create_below(home, directory)?;
        match lock_file(directory, ".lock") {
            // It was removed meanwhile
            Err(_) if !directory.exists() => {}
            locked => return locked,
        }
    }
}

/// Waits for the lock that is a file in this directory.
pub(crate) fn lock_file(directory: &Path, name: &str) -> Result<File> {
    let path = directory.join(name);
    let mut is_waiting = false;
    loop {
        let file = open_lock(&path).map_err(Error::io("open", &path))?;
        match FileExt::try_lock(&file) {
            // The directory may have been removed meanwhile, so that another run locks another file
            Ok(()) if is_same_file(&file, &path) => return Ok(file),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if !is_waiting {
                    Note::Waiting { directory }.print();
                }
                is_waiting = true;
                pause(RETRY_INTERVAL)?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
    }
}

/// Opens the lock file. A symbolic link is an error.
fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false).custom_flags(libc::O_NOFOLLOW).open(path)
}

fn is_same_file(file: &File, path: &Path) -> bool {
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (ours, current) = (file.metadata().map(identity), path.metadata().map(identity));
    ours.is_ok_and(|ours| current.is_ok_and(|current| ours == current))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::fixtures::tree;
    use super::*;

    #[test]
    fn results_of_a_newer_version_are_not_touched() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join(".format-version"), "2").unwrap();
        let directory = home.path().join("package/file");
        assert!(OutputDirectory::open(home.path(), &directory).is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_next_run_undoes_a_killed_import() {
        let home = tempfile::tempdir().unwrap();
        let (directory, staging) = (home.path().join("p/f"), home.path().join(".staging-x"));
        fs::create_dir_all(&directory).unwrap();
        fs::create_dir(&staging).unwrap();
        // The first of two renames was done
        let journal = "p/f/a\0.staging-x/before.0\0.staging-x/0\0p/f/a\0";
        fs::write(staging.join("import.journal"), journal).unwrap();
        fs::write(staging.join("before.0"), "last").unwrap();
        fs::write(staging.join("0"), "imported").unwrap();
        settle_imports(home.path()).unwrap();
        assert_eq!(fs::read_to_string(directory.join("a")).unwrap(), "last");
        assert!(!staging.exists());
    }

    #[test]
    fn files_of_killed_runs_are_removed() {
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
    fn a_directory_can_be_removed_while_its_lock_is_awaited() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("package/file");
        let first = OutputDirectory::open(home.path(), &directory).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| OutputDirectory::open(home.path(), &directory));
            thread::sleep(2 * RETRY_INTERVAL);
            // In one step, so that the lock is not created again before its directory goes
            fs::rename(home.path().join("package"), home.path().join("removed")).unwrap();
            let second = second.join().unwrap().unwrap();
            assert!(second.path.join(".lock").is_file());
        });
        drop(first);
    }

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let (directory, precious) = (home.path().join("file"), home.path().join("precious"));
        fs::create_dir(&directory).unwrap();
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, directory.join(".lock")).unwrap();
        assert!(OutputDirectory::open(home.path(), &directory).is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    }
}
