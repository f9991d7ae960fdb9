//! Packages of the registry, as cargo unpacks them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use xtask::command::{self, in_file};

use crate::harness;

/// Lets cargo download and unpack a package. Returns its directory in cargo's cache.
pub(crate) fn download(name: &str, version: &str) -> Result<PathBuf, String> {
    let package = format!("{name}@{version}");
    command::output(&mut command::cargo(["info", "--registry=crates-io", &package]))?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let sources = home.ok_or("neither CARGO_HOME nor HOME is set")?.join("registry/src");
    let registries = fs::read_dir(&sources).map_err(in_file(&sources))?;
    let name = format!("{name}-{version}");
    let mut directories = registries.flatten().map(|registry| registry.path().join(&name));
    directories
        .find(|directory| directory.is_dir())
        .ok_or_else(|| format!("{}: no {name}", sources.display()))
}

/// Installs a program into a directory, if it is missing. Returns its path.
pub(crate) fn install(name: &str, version: &str, work: &Path) -> Result<PathBuf, String> {
    let root = work.join(format!("runners/{name}-{version}"));
    let program = root.join("bin").join(name);
    if !program.is_file() {
        // Counts don't depend on the runner's optimization, which takes most of the time
        let mut install = command::cargo(["install", "--quiet", "--locked", "--debug", name]);
        install.arg("--version").arg(format!("={version}")).arg("--root").arg(&root);
        install.env("CARGO_TARGET_DIR", harness::target());
        if !command::run(&mut install)?.success() {
            return Err(format!("{name} {version}: cargo install failed"));
        }
    }
    Ok(program)
}

/// Copies a directory.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(in_file(to))?;
    for entry in fs::read_dir(from).map_err(in_file(from))? {
        let entry = entry.map_err(in_file(from))?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied)?;
        } else {
            fs::copy(&path, &copied).map_err(in_file(&path))?;
        }
    }
    Ok(())
}
