//! The state of the work tree at the start of a run, for all of its results.

use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use crate::error::Result;
use crate::git::{self, WorkTreeState};
use crate::process::spawn;
use crate::settings::{Settings, workspace_directory};
use crate::snapshot::is_snapshot;

/// The state of the work tree. It is found out while the first benchmark runs.
pub(super) struct StartState {
    state: OnceLock<Option<WorkTreeState>>,
    running: Mutex<Option<JoinHandle<Option<WorkTreeState>>>>,
}

impl StartState {
    /// Starts to find out the state of the work tree with this package.
    pub(super) fn new(package: &Path, settings: &Settings) -> Result<Self> {
        let (workspace, home) = (workspace_directory(package), settings.home.clone());
        let running = spawn(move || git::state(&workspace, &home, is_snapshot))?;
        Ok(Self { state: OnceLock::new(), running: Mutex::new(Some(running)) })
    }

    /// Returns the state; `None` without git, a work tree or a commit.
    pub(super) fn get(&self) -> Option<&WorkTreeState> {
        let find = || {
            let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
            running.and_then(|running| running.join().ok().flatten())
        };
        self.state.get_or_init(find).as_ref()
    }
}
