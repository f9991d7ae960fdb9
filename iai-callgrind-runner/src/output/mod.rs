//! Where files lie: the output directory of a benchmark file, its lock, and its staging directory.

mod files;
mod flamegraphs;
mod slot;
mod stored;

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};
use tempfile::{NamedTempFile, TempDir};

pub(crate) use self::files::{Files, is_of, of_process, text_of};
pub(crate) use self::slot::Slot;
use crate::error::{Error, Result};
use crate::run::TemporaryDirectory;

/// The prefix of staging directories. Nothing else in an output directory starts with a dot, because
/// groups are named by identifiers.
const STAGING: &str = ".staging-";

/// Writes a file in one piece: what was there before stays until all is written.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = beside(path)?;
    file.write_all(content)?;
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
    /// Creates the directory if need be, and waits until no other run uses it.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).map_err(Error::io("create the output directory", path))?;
        let file = path.join(".lock");
        let lock = File::create(&file).map_err(Error::io("create", &file))?;
        match FileExt::try_lock(&lock) {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => {
                eprintln!("waiting for another run that uses {}", path.display());
                FileExt::lock(&lock)
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
        .map_err(Error::io("lock", &file))?;
        let directory = Self { path: path.to_owned(), _lock: lock };
        directory.remove_leftovers();
        Ok(directory)
    }

    /// A new directory for what the tools write, on the same file system as the results, so that
    /// these can be renamed into place. It goes when the value goes.
    pub(crate) fn staging(&self) -> Result<TemporaryDirectory> {
        TemporaryDirectory::create(|| {
            let directory = tempfile::Builder::new().prefix(STAGING).tempdir_in(&self.path);
            directory.map(TempDir::keep).map_err(Error::io("create a directory in", &self.path))
        })
    }

    /// Removes what killed runs left behind. It's ours: we hold the lock.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(STAGING.as_bytes()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}
