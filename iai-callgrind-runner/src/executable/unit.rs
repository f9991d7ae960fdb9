//! Cargo's record of the build of an executable.
//!
//! Layouts are linked by another command of cargo than the one that built what is counted. Features are unified over the
//! packages that a command selects, so both can differ. Features of another revision can differ, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_profile::files;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of packages in directories that are followed from an executable.
const MOST_PACKAGES: usize = 256;

/// The parts of cargo's fingerprint of an executable that decide about its code, without its own profile, which contains
/// the options of a layout.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Unit {
    features: String,
    /// Each with its own fingerprint, in which there are its features, its profile and its dependencies.
    deps: Value,
    rustc: Value,
    rustflags: Value,
}

/// The parts of the fingerprint of a package in a directory, whose features can change with its sources.
#[derive(Deserialize)]
struct PackageUnit {
    features: String,
    /// The number of the package, the name of its crate, and the number of its fingerprint.
    deps: Vec<(u64, String, bool, u64)>,
    /// The files of a package in a directory, or the version of another one.
    local: Vec<BTreeMap<String, Value>>,
}

impl Unit {
    /// Reads the record of an executable in its directory; `None` if there is none that this version understands.
    pub(crate) fn of(executable: &Path) -> Option<Self> {
        parse(&Record::of(executable)?.description()?)
    }
}

/// Returns the features of the package of an executable and of those that it needs and that are in directories, by the names of
/// the packages, as far as cargo's records say so. Other packages do not change without their versions.
pub(crate) fn features(executable: &Path) -> BTreeMap<String, String> {
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut open: Vec<_> = Record::of(executable).into_iter().collect();
    let mut known = BTreeSet::new();
    while let Some(record) = open.pop().filter(|_| known.len() < MOST_PACKAGES) {
        if !known.insert(record.directory.clone()) {
            continue;
        }
        let unit = record.description().and_then(|path| parse::<PackageUnit>(&path));
        let Some(unit) = unit.filter(PackageUnit::is_in_directory) else { continue };
        let own = features.entry(record.package.clone()).or_default();
        own.extend(serde_json::from_str::<Vec<String>>(&unit.features).unwrap_or_default());
        open.extend(
            unit.deps.into_iter().filter_map(|(_, name, _, hash)| record.find(&name, hash)),
        );
    }
    let joined = |features: BTreeSet<String>| features.into_iter().collect::<Vec<_>>().join(" ");
    features.into_iter().map(|(package, features)| (package, joined(features))).collect()
}

impl PackageUnit {
    fn is_in_directory(&self) -> bool {
        !self.local.iter().any(|local| local.contains_key("Precalculated"))
    }
}

/// Cargo's directory with the fingerprint of a unit.
struct Record {
    package: String,
    directory: PathBuf,
    /// The directory of the profile.
    profile: PathBuf,
}

impl Record {
    /// Returns the record of an executable.
    fn of(executable: &Path) -> Option<Self> {
        let (_, hash) = executable.file_name()?.to_str()?.rsplit_once('-')?;
        let directory = executable.parent()?.parent()?;
        let suffix = format!("-{hash}");
        let list = directory.join(".fingerprint");
        if let Some(found) = entries(&list).find(|path| name(path).ends_with(&suffix)) {
            let package = name(&found).strip_suffix(&suffix)?.to_owned();
            return Some(Self { package, directory: found, profile: directory.to_owned() });
        }
        // A later version of cargo has a directory for each unit: `build/PACKAGE/HASH`
        let package = directory.parent()?;
        let profile = package.parent()?.parent()?.to_owned();
        Some(Self { package: name(package), directory: directory.join("fingerprint"), profile })
    }

    /// Returns the record of a library with this crate and this fingerprint.
    fn find(&self, crate_name: &str, fingerprint: u64) -> Option<Self> {
        let is_package = |package: &str| package.replace('-', "_") == crate_name;
        let in_list = entries(&self.profile.join(".fingerprint")).filter_map(|directory| {
            let package = name(&directory).rsplit_once('-')?.0.to_owned();
            Some((package, directory))
        });
        let packages = entries(&self.profile.join("build")).filter(|path| is_package(&name(path)));
        let in_directories = packages.flat_map(|path| {
            let package = name(&path);
            entries(&path).map(move |unit| (package.clone(), unit.join("fingerprint")))
        });
        let hash = fingerprint.to_le_bytes().map(|byte| format!("{byte:02x}")).concat();
        let is_library = |path: PathBuf| {
            name(&path).starts_with("lib-")
                && files::read_to_string(&path).is_ok_and(|it| it == hash)
        };
        let mut found = in_list.filter(|(package, _)| is_package(package)).chain(in_directories);
        let (package, directory) =
            found.find(|(_, directory)| entries(directory).any(is_library))?;
        Some(Self { package, directory, profile: self.profile.clone() })
    }

    /// Returns the file with the description of the unit.
    fn description(&self) -> Option<PathBuf> {
        let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        entries(&self.directory).find(is_json)
    }
}

fn parse<T: for<'de> Deserialize<'de>>(file: &Path) -> Option<T> {
    serde_json::from_slice(&files::read(file).ok()?).ok()
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_found_in_both_forms_of_directories() {
        let directory = tempfile::tempdir().unwrap();
        let release = directory.path().join("release");
        let record = |features: &str| {
            format!(
                "{{\"rustc\":1,\"features\":\"{features}\",\"profile\":2,\"deps\":[[1,\"a\",false,18446744073709551615]],\"rustflags\":[]}}"
            )
        };
        let write = |path: &str, text: &str| {
            let path = release.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".fingerprint/p-00aa/test-bench-my-b.json", &record("x"));
        write(".fingerprint/p-00aa/invoked.timestamp", "");
        write(".fingerprint/p-00bb/test-bench-my-b.json", &record("y"));
        write("build/p/00cc/fingerprint/test-bench-my-b.json", &record("x"));
        write(".fingerprint/p-00dd/test-bench-my-b.json", "{}");
        let unit = |path: &str| Unit::of(&release.join(path));
        let first = unit("deps/my_b-00aa").unwrap();
        assert_eq!(first.features, "x");
        assert_ne!(Some(&first), unit("deps/my_b-00bb").as_ref());
        assert_eq!(Some(&first), unit("build/p/00cc/out/my_b-00cc").as_ref());
        for path in ["deps/my_b-00dd", "deps/my_b-00ee", "deps/my_b"] {
            assert_eq!(unit(path), None, "{path}");
        }
    }

    #[test]
    fn features_are_those_of_packages_in_directories() {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("release");
        let write = |path: &str, features: &str, deps: &str, local: &str, hash: &str| {
            let path = profile.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text =
                format!("{{\"features\":\"{features}\",\"deps\":[{deps}],\"local\":[{local}]}}");
            fs::write(path.with_extension("json"), text).unwrap();
            fs::write(&path, hash).unwrap();
        };
        let here = "{\"CheckDepInfo\":{\"dep_info\":\"x\",\"checksum\":false}}";
        let elsewhere = "{\"Precalculated\":\"1.0.0\"}";
        let deps = "[1,\"my_lib\",false,258],[2,\"serde\",false,3],[3,\"gone\",false,9]";
        write(".fingerprint/p-0a/test-bench-my-b", "[\\\"x\\\"]", deps, here, "00");
        let simd = r#"[\"default\", \"simd\"]"#;
        // Another build of the same library
        write(".fingerprint/my-lib-0b/lib-my_lib", "[]", "", here, "0000000000000000");
        write(".fingerprint/my-lib-0c/lib-my_lib", simd, "", here, "0201000000000000");
        write(".fingerprint/serde-0d/lib-serde", simd, "", elsewhere, "0300000000000000");
        let found = features(&profile.join("deps/my_b-0a"));
        let found: Vec<_> = found.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(found, ["my-lib: default simd", "p: x"]);
        write("build/p/0e/fingerprint/test-bench-my-b", "[]", deps, here, "00");
        write("build/my-lib/0f/fingerprint/lib-my-lib", "[]", "", here, "0201000000000000");
        fs::remove_dir_all(profile.join(".fingerprint")).unwrap();
        let found = features(&profile.join("build/p/0e/out/my_b-0e"));
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("my-lib", ""), ("p", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        assert!(features(&profile.join("deps/my_b-0a")).is_empty());
    }
}
