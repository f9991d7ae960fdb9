//! Packages outside of the workspace that use the crates of this checkout.

use std::fs;
use std::path::Path;

use crate::command::{self, in_file};

/// Returns the part of a manifest from `[workspace]` on: benchmark files under the library of this checkout.
///
/// `dependencies` are lines for the benchmark files, and `profile` those of their build.
#[must_use]
pub fn benchmarks(dependencies: &str, files: &[&str], profile: &str) -> String {
    let library = command::root().join("iai-callgrind").display().to_string();
    let files = files.iter().map(|name| format!("[[bench]]\nname = {name:?}\nharness = false\n\n"));
    format!(
        "[workspace]\n\n[dev-dependencies]\niai-callgrind = {{ path = {library:?} }}\n{dependencies}\n{}\
         [profile.bench]\ndebug = 1\n{profile}",
        files.collect::<String>()
    )
}

/// Writes files of a package, and the lock file of this workspace, whose versions are there already.
pub fn write(directory: &Path, files: &[(&str, &str)]) -> Result<(), String> {
    let lock = command::root().join("Cargo.lock");
    let lock = fs::read_to_string(&lock).map_err(in_file(&lock))?;
    for (name, text) in files.iter().chain(&[("Cargo.lock", &*lock)]) {
        let file = directory.join(name);
        let parent = file.parent().unwrap_or(directory);
        fs::create_dir_all(parent).map_err(in_file(parent))?;
        fs::write(&file, text).map_err(in_file(&file))?;
    }
    Ok(())
}
