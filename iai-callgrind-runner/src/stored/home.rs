//! The directory that results are in.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::error::{Error, Result};

/// The directory that the user names or, if there is none, that of the workspace in the current one.
pub(super) fn home(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(home) => std::path::absolute(home).map_err(Error::io("use", home)),
        None => Ok(target_directory()?.join("iai")),
    }
}

/// The same, which has to be there.
pub(super) fn existing_home(given: Option<&Path>) -> Result<PathBuf> {
    let home = home(given)?;
    if home.is_dir() {
        return Ok(home);
    }
    Err(Error::Stored(format!(
        "there are no results in {}: no such directory.\nRun the benchmarks first, or name another \
         directory with --home",
        home.display()
    )))
}

/// Cargo knows it, however it is configured.
fn target_directory() -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .stdin(Stdio::null())
        .output();
    let metadata = output.ok().and_then(|it| serde_json::from_slice::<Metadata>(&it.stdout).ok());
    metadata.map(|metadata| metadata.target_directory).ok_or_else(|| {
        Error::Stored(
            "cargo knows no target directory here.\nStart this in a package, or name the directory \
             with the results with --home"
                .to_owned(),
        )
    })
}
