//! Packages, their targets and cargo's directories, as `cargo metadata` lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::cargo::{BenchmarkFile, CargoCall};
use super::error::{AgainstError, Result};

/// Packages and directories as `cargo metadata` lists them.
#[derive(Debug, Deserialize)]
pub(super) struct Packages {
    #[serde(rename = "packages")]
    pub(super) all: Vec<Package>,
    #[serde(default)]
    pub(super) target_directory: PathBuf,
    /// Directory of cargo's intermediate files; `None` if this version has a single directory.
    #[serde(default)]
    build_directory: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    manifest_path: PathBuf,
    pub(super) targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) name: String,
    kind: Vec<String>,
}

/// Returns the packages of the workspace of a directory, each with the names of its targets' crates.
pub fn targets_of_packages(directory: &Path) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let packages = CargoCall::new(directory, &[]).own_packages()?.all.into_iter();
    let crate_name = |target: Target| target.name.replace('-', "_");
    let targets =
        |Package { name, targets, .. }| (name, targets.into_iter().map(crate_name).collect());
    Ok(packages.map(targets).collect())
}

impl Target {
    /// Returns true for the target of the benchmark file with this crate.
    pub(super) fn is(&self, file: &BenchmarkFile<'_>) -> bool {
        self.kind.iter().any(|kind| kind == "bench") && self.name.replace('-', "_") == file.name
    }
}

impl Packages {
    /// Runs a call of cargo with a subcommand that prints the packages.
    pub(super) fn read(command: &mut Command, manifest: Option<&Path>) -> Result<Self> {
        command.args(["metadata", "--no-deps", "--format-version=1"]);
        if let Some(manifest) = manifest {
            command.arg("--manifest-path").arg(manifest);
        }
        let output = iai_callgrind_process::output(command)?;
        if !output.status.success() {
            let output = iai_callgrind_process::error_text(&output);
            return Err(AgainstError::CargoMetadata { output }.into());
        }
        let failed =
            |error: serde_json::Error| AgainstError::CargoMetadata { output: error.to_string() };
        Ok(serde_json::from_slice(&output.stdout).map_err(failed)?)
    }

    /// Returns the directory of cargo's intermediate files.
    pub(super) fn build_directory(&self) -> &Path {
        self.build_directory.as_deref().unwrap_or(&self.target_directory)
    }

    /// Returns the manifest of the package of a benchmark file, if there is this file.
    pub(super) fn manifest_of(&self, file: &BenchmarkFile<'_>) -> Option<&Path> {
        let package = self.package(file.package)?;
        let has_file = package.targets.iter().any(|target| target.is(file));
        has_file.then_some(&package.manifest_path)
    }

    /// Returns the name of the target of a benchmark file.
    pub(super) fn target(&self, file: &BenchmarkFile<'_>) -> Option<&str> {
        let targets = &self.package(file.package)?.targets;
        targets.iter().find(|target| target.is(file)).map(|target| &*target.name)
    }

    fn package(&self, name: &str) -> Option<&Package> {
        self.all.iter().find(|package| package.name == name)
    }

    /// Returns false if the value of this option is the name of a package or target that does not exist here. Other values
    /// are patterns, versions or places, which cargo finds.
    pub(super) fn has(&self, option: &str, value: &str) -> bool {
        if !value.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')) {
            return true;
        }
        if option != "--bench" {
            return self.package(value).is_some();
        }
        let mut targets = self.all.iter().flat_map(|package| &package.targets);
        targets.any(|target| target.name == value)
    }
}
