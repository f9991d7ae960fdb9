//! The state of the work tree at the start of a run, for all of its results.

use std::path::Path;
use std::sync::LazyLock;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_cli::settings::Settings;
use iai_callgrind_process::spawn;
use iai_callgrind_results::snapshot::is_snapshot;
use iai_callgrind_revisions::{WorkTreeState, state};

use crate::error::Result;

/// The state of the work tree, read while the first benchmark runs.
pub(super) struct StartState(LazyLock<Option<WorkTreeState>, Box<Find>>);

/// Waits for the thread that reads the state.
type Find = dyn FnOnce() -> Option<WorkTreeState> + Send;

impl StartState {
    /// Starts to read the state of the work tree with this package.
    pub(super) fn new(package: &Path, settings: &Settings) -> Result<Self> {
        let (workspace, home) = (workspace_directory(package), settings.home.clone());
        let running = spawn(move || state(&workspace, &home, is_snapshot))?;
        Ok(Self(LazyLock::new(Box::new(|| running.join().unwrap()))))
    }

    /// Returns the state; `None` without git, a work tree or a commit.
    pub(super) fn get(&self) -> Option<&WorkTreeState> {
        self.0.as_ref()
    }
}
