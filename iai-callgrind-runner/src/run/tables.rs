//! Tables of attributed costs, made while the executable and the sources are those of the run.

use std::env;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fnv::FnvHasher;
use iai_callgrind_explain::{Builder, Environment, Profile, Roots};

use crate::error::{Error, Result};

/// Makes the tables of a run.
pub(super) struct Tables(Mutex<Builder>);

impl Tables {
    /// Prepares for the benchmarks of this package, whose executables lie in the target directory.
    pub(super) fn new(package: &Path) -> Self {
        let lock = package.ancestors().map(|directory| directory.join("Cargo.lock"));
        let lock = lock.into_iter().find(|lock| lock.is_file());
        let workspace = lock.as_deref().and_then(Path::parent).unwrap_or(package).to_owned();
        let mut environment = Environment::new();
        if let Some(bytes) = lock.and_then(|lock| fs::read(lock).ok()) {
            let mut hasher = FnvHasher::default();
            hasher.write(&bytes);
            environment.insert("Cargo.lock".to_owned(), format!("{:016x}", hasher.finish()));
        }
        let roots = Roots { foreign: foreign_directories(&workspace), workspace };
        Self(Mutex::new(Builder::new(roots, environment)))
    }

    /// Writes the table of a profile.
    pub(super) fn write(&self, profile: &Profile, path: &Path) -> Result<()> {
        let mut builder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = builder.table(profile).write().map_err(Error::io("write", path))?;
        fs::write(path, bytes).map_err(Error::io("write", path))
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
