//! Tables of attributed costs, made while the executable and the sources of the run exist.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use iai_callgrind_base::workspace_directory;
use iai_callgrind_debuginfo::{Roots, UnreadDebugInfo};
use iai_callgrind_explain::{Builder, Table};
use iai_callgrind_profile::AddressProfile;
use iai_callgrind_results::Benchmark;
use iai_callgrind_revisions::build_directory;
use iai_callgrind_tools::executable::Executable;
use iai_callgrind_tools::fingerprint::Fingerprint;

use super::address_seeds::AddressSeeds;
use super::start_state::StartState;
use crate::error::{Error, Result};
use crate::note::{BuildProfile, DebugInfo, Note};

/// Makes the tables of a run.
pub(super) struct Tables(Mutex<State>);

struct State {
    builder: Builder,
    /// The builder knows the state of the work tree.
    has_revision: bool,
    file: Option<FileTable>,
    seeds: AddressSeeds,
}

/// The build of the benchmark file by its table.
#[derive(Debug, Clone, Copy)]
struct FileTable {
    has_debug_info: bool,
    several_units: bool,
}

impl Tables {
    /// Prepares for the benchmarks of this package, in this executable if they are functions.
    pub(super) fn new(package: &Path, executable: Option<&Path>) -> Self {
        let workspace = workspace_directory(package);
        let generated = generated_directory(&workspace, executable);
        let foreign = foreign_directories().chain([generated]).collect();
        let roots = Roots { workspace, foreign };
        let builder = Builder::new(roots);
        let seeds = AddressSeeds::default();
        Self(Mutex::new(State { builder, has_revision: false, file: None, seeds }))
    }

    /// Writes the table of a profile of this benchmark, a function or a command, and returns it.
    pub(super) fn write(
        &self,
        profile: &AddressProfile,
        benchmark: &Benchmark,
        work_tree: &StartState,
        path: &Path,
    ) -> Result<Table> {
        let mut state = self.0.lock().unwrap();
        let State { builder, has_revision, file, seeds } = &mut *state;
        if !std::mem::replace(has_revision, true) {
            builder.set_revision(work_tree.get().map(|state| state.revision.clone()));
        }
        let table = builder.table(profile);
        seeds.add(&benchmark.title_in_text(), table.function_names());
        if benchmark.command().is_none() {
            file.get_or_insert(FileTable {
                has_debug_info: table.has_debug_info(),
                several_units: table.has_several_units(),
            });
        }
        drop(state);
        let bytes = table.write().map_err(Error::io("write", path))?;
        fs::write(path, bytes).map_err(Error::io("write", path))?;
        Ok(table)
    }

    /// Prints notes about hash maps with seeds of addresses.
    pub(super) fn note_seeds(&self) {
        self.0.lock().unwrap().seeds.notes().for_each(|note| note.print());
    }

    /// Prints a note unless the profile of the benchmark file is the recommended one. Without debug
    /// information, the fingerprint has the number of units.
    pub(super) fn note_profile(&self, executable: Option<&Executable>, fingerprint: &Fingerprint) {
        let state = self.0.lock().unwrap();
        let Some(FileTable { has_debug_info, several_units }) = state.file else { return };
        // Valgrind may not name an executable that it can't read
        let zstd = executable.filter(|it| it.has_zstd).map(|_| UnreadDebugInfo::Zstd);
        let debug_info = match zstd.or_else(|| state.builder.unread_debug_info()) {
            _ if has_debug_info => DebugInfo::Read,
            Some(unread) => DebugInfo::Unread(unread),
            None => DebugInfo::Missing,
        };
        let several_units = if has_debug_info { several_units } else { fingerprint.has_units() };
        if debug_info != DebugInfo::Read || several_units {
            Note::Profile { profile: BuildProfile { debug_info, several_units } }.print();
        }
    }
}

/// Returns the directory with the sources that build scripts generate.
fn generated_directory(workspace: &Path, executable: Option<&Path>) -> PathBuf {
    let built = executable.and_then(build_directory);
    // cargo does not mark a directory that it finds, and the workspace can be in the target directory of another one
    let built = built.filter(|built| !workspace.starts_with(built));
    built.map_or_else(|| workspace.join("target"), Path::to_owned)
}

/// Returns directories with sources of others than the user, wherever the workspace is.
fn foreign_directories() -> impl Iterator<Item = PathBuf> {
    let home = |name: &str, default: &str| {
        let set = env::var_os(name).map(PathBuf::from);
        set.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(default)))
    };
    let cargo = home("CARGO_HOME", ".cargo").into_iter();
    let cargo = cargo.flat_map(|home| [home.join("registry"), home.join("git")]);
    let toolchains = home("RUSTUP_HOME", ".rustup").map(|home| home.join("toolchains"));
    // The harness itself, if it is in a checkout
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    let libraries = ["criterion", "divan", "google-benchmark", "harness", "plan"];
    let libraries = libraries.map(|name| checkout.join(format!("crates/iai-callgrind-{name}")));
    let harness = libraries.into_iter().chain([checkout.join("iai-callgrind")]);
    // The C++ headers next to this runner, if it is in a prefix
    let runner = env::current_exe().unwrap_or_default();
    let headers = runner.ancestors().nth(2).map(|prefix| prefix.join("include/benchmark"));
    cargo.chain(toolchains).chain(harness).chain(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_sources_are_in_the_marked_directory_without_the_workspace() {
        let root = tempfile::tempdir().unwrap();
        let outer = root.path().join("outer");
        let other = root.path().join("other");
        for directory in [&outer, &other] {
            fs::create_dir(directory).unwrap();
            fs::write(directory.join("CACHEDIR.TAG"), "").unwrap();
        }
        let workspace = outer.join("package");
        let generated = |executable: &Path| generated_directory(&workspace, Some(executable));
        assert_eq!(generated(&other.join("release/deps/bench-0123")), other);
        let own = workspace.join("target");
        assert_eq!(generated(&own.join("release/deps/bench-0123")), own);
        assert_eq!(generated_directory(&workspace, None), own);
    }
}
