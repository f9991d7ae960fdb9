//! Temporary directories.

use std::path::{Path, PathBuf};

use super::cancellation::Cancellation;
use super::cleanup::remove_directory;
use crate::ProcessError;

/// A directory that is removed on drop, and when the run is cancelled or killed.
#[derive(Debug)]
pub struct TemporaryDirectory {
    path: PathBuf,
    is_kept: bool,
}

impl TemporaryDirectory {
    /// Creates a directory with this function.
    pub fn create<E: From<ProcessError>>(
        create: impl FnOnce() -> Result<PathBuf, E>,
    ) -> Result<Self, E> {
        let mut cancellation = Cancellation::lock();
        cancellation.check()?;
        let path = create()?;
        cancellation.add_directory(&path);
        Ok(Self { path, is_kept: false })
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the directory after the run.
    pub fn keep(&mut self) {
        Cancellation::lock().remove_directory(&self.path);
        self.is_kept = true;
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            remove_directory(&self.path);
            Cancellation::lock().remove_directory(&self.path);
        }
    }
}
