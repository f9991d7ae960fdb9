//! Tables of attributed costs, made while the executable and the sources are those of the run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use iai_callgrind_explain::{Builder, Revision, Roots, Table};
use iai_callgrind_profile::AddressProfile;

use crate::error::{Error, Result};
use crate::git;
use crate::note::Note;
use crate::process::spawn;
use crate::settings::{Settings, workspace_directory};

/// Makes the tables of a run.
pub(super) struct Tables(Mutex<State>);

struct State {
    builder: Builder,
    /// Finds out the state of the work tree while the first benchmark runs; `None` when the builder knows it.
    revision: Option<JoinHandle<Option<Revision>>>,
    profile: Option<BuildProfile>,
}

/// The profile with which the benchmark file was built.
#[derive(Debug, Clone, Copy)]
struct BuildProfile {
    has_debug_info: bool,
    several_units: bool,
}

impl Tables {
    /// Prepares for the benchmarks of this package.
    pub(super) fn new(package: &Path, settings: &Settings) -> Result<Self> {
        let workspace = workspace_directory(package);
        let roots = Roots { foreign: foreign_directories(&workspace), workspace };
        let (directory, home) = (roots.workspace.clone(), settings.home.clone());
        let revision = Some(spawn(move || git::revision(&directory, &home))?);
        let builder = Builder::new(roots);
        Ok(Self(Mutex::new(State { builder, revision, profile: None })))
    }

    /// Writes the table of a profile of the benchmark file or, if it is not a function, of a command, and returns it.
    pub(super) fn write(
        &self,
        profile: &AddressProfile,
        is_function: bool,
        path: &Path,
    ) -> Result<Table> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { builder, revision, profile: build } = &mut *state;
        if let Some(revision) = revision.take() {
            builder.set_revision(revision.join().ok().flatten());
        }
        let table = builder.table(profile);
        if is_function {
            build.get_or_insert(BuildProfile {
                has_debug_info: table.has_debug_info(),
                several_units: table.has_several_units(),
            });
        }
        let bytes = table.write().map_err(Error::io("write", path))?;
        fs::write(path, bytes).map_err(Error::io("write", path))?;
        Ok(table)
    }

    /// Prints a note if the profile of the benchmark file is not the recommended one.
    pub(super) fn note_profile(&self) {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(BuildProfile { has_debug_info, several_units }) = state.profile else { return };
        if !has_debug_info || several_units {
            Note::Profile { has_debug_info }.print();
        }
    }
}

/// Returns directories with sources that are not the user's.
fn foreign_directories(workspace: &Path) -> Vec<PathBuf> {
    let home = |name: &str, default: &str| {
        let set = env::var_os(name).map(PathBuf::from);
        set.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(default)))
    };
    let cargo = home("CARGO_HOME", ".cargo").into_iter();
    let cargo = cargo.flat_map(|home| [home.join("registry"), home.join("git")]);
    let toolchains = home("RUSTUP_HOME", ".rustup").map(|home| home.join("toolchains"));
    // The harness itself, if it is the one of a checkout
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    let harness = ["iai-callgrind", "iai-callgrind-harness", "iai-callgrind-plan"]
        .map(|name| checkout.join(name));
    let generated = workspace.join("target");
    cargo.chain(toolchains).chain(harness).chain([generated]).collect()
}
