//! The files of repeated runs, one of which is stored: the run in the middle, which is known after the last one.

use std::collections::HashMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::output::NewFiles;
use crate::process::TemporaryDirectory;
use crate::result::RunId;

/// The files of repeated runs.
pub(super) struct Candidates {
    directory: TemporaryDirectory,
    kept: Mutex<HashMap<RunId, NewFiles>>,
}

impl Candidates {
    /// Keeps files in this directory.
    pub(super) fn new(directory: TemporaryDirectory) -> Self {
        Self { directory, kept: Mutex::default() }
    }

    /// Keeps the files of a run. They lie in the directory itself, because a transaction has its journal there.
    pub(super) fn keep(&self, id: RunId, mut files: NewFiles) -> Result<()> {
        let RunId { benchmark, tool, sample } = id;
        for file in files.paths_mut() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let to = self.directory.path().join(format!("{benchmark}.{tool}.{sample}.{name}"));
            fs::rename(&*file, &to).map_err(Error::io("rename", &*file))?;
            *file = to;
        }
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(id, files);
        Ok(())
    }

    /// Returns the files of a run.
    pub(super) fn take(&self, id: RunId) -> Option<NewFiles> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    /// Removes the files of a run if they are still kept.
    pub(super) fn discard(&self, id: RunId) {
        if let Some(mut files) = self.take(id) {
            for file in files.paths_mut() {
                // What remains is removed with the directory
                let _ = fs::remove_file(file);
            }
        }
    }
}
