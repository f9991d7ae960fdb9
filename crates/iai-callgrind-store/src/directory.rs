//! The output directory of a benchmark file, with its lock and its staging directories.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use iai_callgrind_base::FileError;
use iai_callgrind_process::{STAGING, TemporaryDirectory, is_staging, journals, pause};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::declared;
use super::file_system::create_below;
use super::{transaction, version};
use crate::note::Note;
use crate::ownership::{check_owner, is_trusted};
use crate::{Error, Result};

/// Name of the lock file.
const LOCK: &str = ".lock";

/// End of the name of the directory in which the benchmark executable runs.
const PROGRAM: &str = "program";

/// Permissions of a temporary directory.
const PRIVATE: u32 = 0o700;

/// Interval at which the runner tries a lock of another run again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The output directory of a benchmark file, locked against other runs.
#[derive(Debug)]
pub struct OutputDirectory {
    path: PathBuf,
    _lock: File,
}

impl OutputDirectory {
    /// Opens the directory in `home`, the directory of all results, and creates it if necessary.
    /// Waits until no other run uses it.
    pub fn open(home: &Path, path: &Path) -> Result<Self> {
        if path.to_str().is_none() {
            return Err(FileError::NotText { path: path.to_owned() }.into());
        }
        version::check(home)?;
        let directory = Self { path: path.to_owned(), _lock: lock(home, path)? };
        version::write(home)?;
        directory.remove_leftovers(home)?;
        Ok(directory)
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a temporary directory for the tools' files. It is on the file system of the results, so that
    /// files can be renamed into place.
    pub fn staging(&self) -> Result<TemporaryDirectory> {
        staging_directory(&self.path)
    }

    /// Creates the temporary directory in which the benchmark executable runs. Other runs wait for the lock, so it has the same
    /// path in each run.
    pub fn program(&self) -> Result<TemporaryDirectory> {
        let path = self.path.join(format!("{STAGING}{PROGRAM}"));
        let created = TemporaryDirectory::create(|| {
            let created = DirBuilder::new().mode(PRIVATE).create(&path);
            created.map_err(Error::io("create the directory", &path))?;
            Ok(path.clone())
        });
        match created {
            // Another user's file can have its name
            Err(Error::File(_)) => self.staging(),
            created => created,
        }
    }

    /// Removes the directory if it has no results. Runs that wait for its lock create it again.
    pub fn remove_if_empty(self) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        if names.iter().all(|name| name == LOCK || name == declared::FILE) {
            for name in names {
                let _ = fs::remove_file(self.path.join(name));
            }
            let package = self.path.parent().into_iter();
            // One with other files stays
            for directory in [&*self.path].into_iter().chain(package) {
                let _ = fs::remove_dir(directory);
            }
        }
    }

    /// Removes the staging directories of killed runs and undoes their incomplete transactions.
    /// Links and files of other users stay, because this user's runs do not create them.
    fn remove_leftovers(&self, home: &Path) -> Result<()> {
        for path in leftovers(&self.path) {
            transaction::recover(&path)?;
            if !is_own_leftover(&path) {
                continue;
            }
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
pub fn staging_directory(parent: &Path) -> Result<TemporaryDirectory> {
    TemporaryDirectory::create(|| {
        fs::create_dir_all(parent).map_err(Error::io("create the directory", parent))?;
        let directory = tempfile::Builder::new().prefix(STAGING).tempdir_in(parent);
        let directory = directory.map_err(Error::io("create a directory in", parent))?;
        // Before there is a journal in it
        transaction::sync_directory(parent)?;
        Ok(directory.keep())
    })
}

/// The output directory of a benchmark file, opened for reading results. Nothing is written to it.
#[derive(Debug)]
pub struct ReadDirectory {
    _lock: Option<File>,
}

impl ReadDirectory {
    /// Waits until no run uses the directory in `home`. Prints a note if a killed run has left it half written.
    pub fn open(home: &Path, path: &Path) -> Result<Self> {
        version::check(home)?;
        let lock = lock_for_reading(path)?;
        // A run fails at the first journal that it does not trust
        let mut journals = leftovers(path).flat_map(|staging| {
            let journals: Vec<_> = journals(&staging).collect();
            journals
        });
        let _ = journals.try_for_each(|journal| note_journal(&journal));
        Ok(Self { _lock: lock })
    }
}

/// Prints a note about a killed run's journal. Breaks at a journal that the next run refuses.
fn note_journal(journal: &Path) -> ControlFlow<()> {
    match transaction::awaits_recovery(journal) {
        Ok(true) => Note::HalfWritten { journal }.print(),
        Ok(false) => {}
        Err(reason) => {
            Note::ForeignJournal { journal, reason: &reason }.print();
            return ControlFlow::Break(());
        }
    }
    ControlFlow::Continue(())
}

/// Waits for a running import into this directory. Prints a note about one that was killed.
pub fn await_imports(home: &Path) -> Result<()> {
    let is_import = |leftover: PathBuf| leftover.is_dir();
    if leftovers(home).any(is_import) { ReadDirectory::open(home, home).map(drop) } else { Ok(()) }
}

/// Waits for a running import into this directory, and undoes one that was killed.
pub fn settle_imports(home: &Path) -> Result<()> {
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

/// Returns `true` for a file or directory that a run of this user can have created.
fn is_own_leftover(path: &Path) -> bool {
    let metadata = path.symlink_metadata();
    metadata.is_ok_and(|metadata| !metadata.is_symlink() && is_trusted(&metadata))
}

/// Creates a directory and waits for its lock.
fn lock(home: &Path, directory: &Path) -> Result<File> {
    loop {
        create_below(home, directory)?;
        match lock_file(directory, LOCK) {
            // It was removed meanwhile
            Err(_) if !directory.exists() => {}
            locked => return locked,
        }
    }
}

/// Waits for the lock that is a file in this directory.
pub fn lock_file(directory: &Path, name: &str) -> Result<File> {
    let path = directory.join(name);
    loop {
        let file = open_lock(File::options().write(true).create(true).truncate(false), &path);
        let file = file.map_err(|error| match check_owner(&path, directory) {
            Ok(()) => Error::io("open", &path)(error),
            Err(owner) => owner,
        })?;
        if let Some(file) = wait_for_lock(file, &path, FlockOperation::NonBlockingLockExclusive)? {
            return Ok(file);
        }
    }
}

/// Returns `true` while a run uses a directory.
pub fn is_in_use(directory: &Path) -> bool {
    let lock = open_lock(File::options().read(true), &directory.join(LOCK));
    lock.is_ok_and(|lock| {
        flock(lock, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
    })
}

/// Waits until no run has the lock of a directory. Without a lock file, or if this user may not read it, there is
/// nothing to wait for.
fn lock_for_reading(directory: &Path) -> Result<Option<File>> {
    let path = directory.join(LOCK);
    loop {
        let Ok(file) = open_lock(File::options().read(true), &path) else { return Ok(None) };
        if let Some(file) = wait_for_lock(file, &path, FlockOperation::NonBlockingLockShared)? {
            return Ok(Some(file));
        }
    }
}

/// Waits for the lock of a file, which is released when its process exits. Returns `None` if
/// another file has replaced it: the directory may have been removed meanwhile, so that another run
/// locks another file.
fn wait_for_lock(file: File, path: &Path, operation: FlockOperation) -> Result<Option<File>> {
    let mut is_waiting = false;
    loop {
        match flock(&file, operation) {
            Ok(()) => return Ok(is_same_file(&file, path).then_some(file)),
            Err(Errno::WOULDBLOCK) => {
                if !is_waiting {
                    Note::Waiting { directory: path.parent().unwrap_or(path) }.print();
                }
                is_waiting = true;
                pause(RETRY_INTERVAL)?;
            }
            Err(error) => return Err(Error::io("lock", path)(error.into())),
        }
        if !is_same_file(&file, path) {
            return Ok(None);
        }
    }
}

/// Opens a lock file. A symbolic link is an error, and a pipe does not block.
fn open_lock(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

fn is_same_file(file: &File, path: &Path) -> bool {
    let identity = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (ours, current) = (file.metadata().map(identity), path.metadata().map(identity));
    ours.is_ok_and(|ours| current.is_ok_and(|current| ours == current))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::super::test_trees::tree;
    use super::*;

    #[test]
    fn a_path_that_valgrind_cannot_have_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join(OsStr::from_bytes(b"caf\xe9"));
        let error = OutputDirectory::open(home.path(), &directory).unwrap_err().to_string();
        assert!(error.contains("not UTF-8\nhelp: "), "{error}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
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
    fn the_next_run_undoes_a_killed_import() {
        let home = tempfile::tempdir().unwrap();
        let (directory, staging) = (home.path().join("p/f"), home.path().join(".staging-x"));
        fs::create_dir_all(&directory).unwrap();
        fs::create_dir(&staging).unwrap();
        // The first of two renames was done
        let journal = "p/f/callgrind.a\0.staging-x/before.0\0.staging-x/0\0p/f/callgrind.a\0";
        fs::write(staging.join("import.journal"), journal).unwrap();
        fs::write(staging.join("before.0"), "last").unwrap();
        fs::write(staging.join("0"), "imported").unwrap();
        settle_imports(home.path()).unwrap();
        assert_eq!(fs::read_to_string(directory.join("callgrind.a")).unwrap(), "last");
        assert!(!staging.exists());
    }

    #[test]
    fn reading_changes_nothing() {
        let home = tempfile::tempdir().unwrap();
        let (directory, staging) = (home.path().join("p/f"), home.path().join(".staging-x"));
        fs::create_dir_all(directory.join(".staging-y")).unwrap();
        fs::create_dir(&staging).unwrap();
        fs::write(staging.join("import.journal"), "p/f/callgrind.a\0.staging-x/before.0\0")
            .unwrap();
        let before = tree(home.path());
        await_imports(home.path()).unwrap();
        drop(ReadDirectory::open(home.path(), &directory).unwrap());
        assert_eq!(tree(home.path()), before);
        assert!(directory.join(".staging-y").is_dir());
    }

    #[test]
    fn readers_do_not_wait_for_each_other() {
        let home = tempfile::tempdir().unwrap();
        drop(OutputDirectory::open(home.path(), home.path()).unwrap());
        let first = lock_for_reading(home.path()).unwrap();
        let second = lock_for_reading(home.path()).unwrap();
        assert!(first.is_some() && second.is_some());
    }

    #[test]
    fn links_with_the_name_of_a_leftover_stay() {
        let home = tempfile::tempdir().unwrap();
        let precious = home.path().join("precious");
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("key"), "key").unwrap();
        symlink(&precious, home.path().join(".staging-x")).unwrap();
        drop(OutputDirectory::open(home.path(), home.path()).unwrap());
        assert!(precious.join("key").is_file() && home.path().join(".staging-x").is_symlink());
        // A journal behind a link is not believed
        fs::write(precious.join("x.journal"), "").unwrap();
        assert!(OutputDirectory::open(home.path(), home.path()).is_err());
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
            // In one step, so that the lock is not created again before its directory is removed
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
        symlink(&precious, directory.join(".lock")).unwrap();
        assert!(OutputDirectory::open(home.path(), &directory).is_err());
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    }
}
