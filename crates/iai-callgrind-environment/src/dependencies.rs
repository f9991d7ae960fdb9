//! The packages of the lock file that are linked into a benchmark executable. Packages of the workspace are not among
//! them, because their sources explain their changes.

mod linked;
mod lock;

use iai_callgrind_profile::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use iai_callgrind_plan::VERSION;
use toml::{Table, Value};

use self::linked::LinkedCrates;
use self::lock::{LockFile, Package};

/// The start of the names of this library's packages. They share one version, which has a name of its own.
const OWN_PACKAGES: &str = "iai-callgrind";

/// Versions by name; several versions of a name are separated by commas.
#[derive(Debug, Default)]
pub(super) struct Dependencies {
    /// Versions by name; those of the same name are separated by commas.
    pub(super) versions: BTreeMap<String, String>,
    /// Names of the other packages from registries and repositories: procedural macros, and
    /// packages of other targets.
    others: BTreeSet<String>,
}

impl Dependencies {
    /// Finds the packages by the lock file and the symbols of the executable.
    pub(super) fn read(workspace: &Path, package: &Path, executable: &Path) -> Self {
        let lock = files::read_to_string(workspace.join("Cargo.lock")).ok();
        let Some(lock) = lock.and_then(|text| LockFile::parse(&text)) else {
            return Self::default();
        };
        let packages = match LinkedCrates::read(executable, &lock.names_of_directories()) {
            Some(crates) => linked(&lock, &crates),
            None => lock.reachable(package_name(package).as_deref()),
        };
        let mut versions: BTreeMap<String, String> = BTreeMap::new();
        for package in packages {
            if package.name.starts_with(OWN_PACKAGES) && package.version == VERSION {
                continue;
            }
            let Some(version) = package.version_of_source() else { continue };
            let known = versions.entry(package.name.clone()).or_default();
            if !known.is_empty() {
                known.push_str(", ");
            }
            known.push_str(&version);
        }
        let named = lock.packages.iter().filter(|package| package.source.is_some());
        let mut others: BTreeSet<_> = named.map(|package| package.name.clone()).collect();
        others.retain(|name| !versions.contains_key(name));
        Self { versions, others }
    }

    /// Returns `true` for a package whose features change the code in the executable.
    pub(super) fn has_code_of(&self, package: &str) -> bool {
        !package.starts_with(OWN_PACKAGES) && !self.others.contains(package)
    }
}

/// Returns the packages that are linked. A path has the version, while the name of a crate means each version that
/// no path excludes.
fn linked<'a>(lock: &'a LockFile, crates: &LinkedCrates) -> Vec<&'a Package> {
    let mut by_name: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in lock.packages.iter().filter(|package| package.source.is_some()) {
        by_name.entry(&package.name).or_default().push(package);
    }
    let mut all = Vec::new();
    for (name, packages) in by_name {
        let has_path = |package: &&Package| crates.has_directory(&package.directory());
        let with_path: Vec<_> = packages.iter().copied().filter(has_path).collect();
        if !with_path.is_empty() {
            all.extend(with_path);
        } else if crates.has_crate(name) {
            all.extend(packages);
        }
    }
    all
}

/// Returns the name of the package in a directory.
fn package_name(package: &Path) -> Option<String> {
    let manifest: Table = files::read_to_string(package.join("Cargo.toml")).ok()?.parse().ok()?;
    manifest.get("package")?.get("name").and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a workspace with this test as its executable.
    fn workspace(lock: &str) -> tempfile::TempDir {
        let workspace = tempfile::tempdir().unwrap();
        fs::write(workspace.path().join("Cargo.lock"), lock).unwrap();
        let manifest = "[package]\nname = 'mine'\n";
        fs::write(workspace.path().join("Cargo.toml"), manifest).unwrap();
        workspace
    }

    fn registry(name: &str, version: &str) -> String {
        let source = "registry+https://github.com/rust-lang/crates.io-index";
        format!("[[package]]\nname = '{name}'\nversion = '{version}'\nsource = '{source}'\n")
    }

    fn versions_of(lock: &str, executable: &Path) -> Vec<String> {
        let workspace = workspace(lock);
        let dependencies = Dependencies::read(workspace.path(), workspace.path(), executable);
        dependencies
            .versions
            .into_iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect()
    }

    #[test]
    fn the_packages_that_this_test_links_are_those_of_its_environment() {
        let own = std::env::current_exe().unwrap();
        // Of the first, the executable has symbols; of the last three it has nothing
        let lock = [
            registry("toml", "0.0.1"),
            registry("rustix", "0.0.2"),
            registry("iai-callgrind-plan", VERSION),
            registry("smawk-not-linked", "0.3.1"),
            registry("time", "0.3.1"),
            registry("flate2", "0.0.1"),
            "[[package]]\nname = 'tempfile'\nversion = '1.0.0'\n".to_owned(),
        ];
        assert_eq!(versions_of(&lock.concat(), &own), ["rustix 0.0.2", "toml 0.0.1"]);
        let workspace = workspace(&lock.concat());
        let dependencies = Dependencies::read(workspace.path(), workspace.path(), &own);
        let packages = ["mine", "tempfile", "toml", "time", "smawk-not-linked", "iai-callgrind"];
        let has_code = packages.map(|package| dependencies.has_code_of(package));
        assert_eq!(has_code, [true, true, true, false, false, false]);
    }

    #[test]
    fn a_path_in_the_executable_decides_between_versions() {
        let own = std::env::current_exe().unwrap();
        let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"));
        let lock: Table = lock.unwrap().parse().unwrap();
        let used = lock["package"].as_array().unwrap();
        let used = used.iter().find(|package| package["name"].as_str() == Some("toml"));
        let used = used.unwrap()["version"].as_str().unwrap();
        let lock = registry("toml", "0.0.1") + &registry("toml", used);
        assert_eq!(versions_of(&lock, &own), [format!("toml {used}")]);
        let lock = registry("toml", "0.0.1") + &registry("toml", "0.0.2");
        assert_eq!(versions_of(&lock, &own), ["toml 0.0.1, 0.0.2"]);
    }

    #[test]
    fn all_dependencies_count_if_it_is_not_known_which_are_linked() {
        let lock = "[[package]]\nname = 'mine'\nversion = '1.0.0'\ndependencies = ['a', 'member']\n\
                    [[package]]\nname = 'member'\nversion = '1.0.0'\ndependencies = ['b 2.0.0']\n"
            .to_owned()
            + &["a", "c", "d"].map(|name| registry(name, "1.0.0")).concat()
            + &registry("b", "1.0.0")
            + &registry("b", "2.0.0") + "dependencies = ['c', 'mine']\n";
        // Not an object file
        let executable = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert_eq!(versions_of(&lock, executable), ["a 1.0.0", "b 2.0.0", "c 1.0.0"]);
    }

    #[test]
    fn there_are_none_without_a_lock_file_that_cargo_could_have_read() {
        let own = std::env::current_exe().unwrap();
        for lock in ["", "package = 1", "[[package]]\nname = 1\n", "<<<<<<<"] {
            assert!(versions_of(lock, &own).is_empty(), "{lock}");
        }
        let workspace = workspace("");
        fs::remove_file(workspace.path().join("Cargo.lock")).unwrap();
        let read = || Dependencies::read(workspace.path(), workspace.path(), &own).versions;
        assert!(read().is_empty());
    }
}
