//! The current directory, and that of results.

use std::env;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::EXECUTABLE_VARIABLE;
use iai_callgrind_revisions::{self as revisions, CargoCall};
use iai_callgrind_store::check_exists;

use super::error::StoredError;
use crate::error::{Error, Result};

/// Returns the current directory.
pub(crate) fn current_directory() -> Result<PathBuf> {
    env::current_dir().map_err(Error::io("use", Path::new(".")))
}

/// Returns the directory that the user selects, by default the one of the current workspace.
pub(crate) fn select_directory(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(path) => std::path::absolute(path).map_err(Error::io("use", path)),
        None => Ok(target_directory().ok_or(StoredError::NoTargetDirectory)?.join("iai")),
    }
}

/// Returns the same directory, which must exist.
pub(crate) fn existing_directory(given: Option<&Path>) -> Result<PathBuf> {
    let home = select_directory(given)?;
    check_exists(&home)?;
    Ok(home)
}

/// Returns the directory that the user selects for new results, by default the one of the current workspace or, outside
/// of a package, of the current directory.
pub(crate) fn new_directory(given: Option<&Path>) -> Result<PathBuf> {
    let default = || target_directory().unwrap_or_else(|| "target".into()).join("iai");
    let path = given.map_or_else(default, Path::to_owned);
    std::path::absolute(&path).map_err(Error::io("use", &path))
}

/// Returns the target directory of the benchmark file that starts the subcommand, or else of the
/// current workspace, which cargo's configuration can change. Outside of a package, returns the one
/// in the current directory if it has results.
fn target_directory() -> Option<PathBuf> {
    let here = env::current_dir().ok();
    if let Some((executable, here)) = env::var_os(EXECUTABLE_VARIABLE).zip(here.as_ref()) {
        return revisions::target_directory(Some(Path::new(&executable)), here).ok();
    }
    let of_workspace = |directory: PathBuf| CargoCall::new(&directory, &[]).target_directory().ok();
    let has_results = |directory: &PathBuf| directory.join("iai").is_dir();
    let in_directory = || std::path::absolute("target").ok().filter(has_results);
    here.and_then(of_workspace).or_else(in_directory)
}
