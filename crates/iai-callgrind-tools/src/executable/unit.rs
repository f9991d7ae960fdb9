//! Cargo's record of the build of an executable.
//!
//! The command of cargo that links layouts is not the one that built the counted executable. Cargo
//! unifies features over the packages that a command selects, so the features of both can differ.
//! Features of another revision can differ, too.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_profile::files;
use serde::Deserialize;
use serde_json::Value;

/// Maximum number of libraries that are followed from an executable.
const MOST_LIBRARIES: usize = 2048;

/// The directory of a profile with all records.
const LIST: &str = ".fingerprint";

/// The directory of a profile with a directory for each package, with records in those of a later version of cargo.
const BUILD: &str = "build";

/// The crate of each build script. Its code is in no executable.
const BUILD_SCRIPT: &str = "build_script_build";

/// The parts of cargo's fingerprint of an executable that decide about its code, without its own profile, which contains
/// the options of a layout.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Unit {
    features: String,
    /// The dependencies, each with its own fingerprint of features, profile and dependencies.
    deps: Value,
    rustc: Value,
    rustflags: Value,
}

/// The parts of the fingerprint of an executable or a library with its features.
#[derive(Deserialize)]
struct PackageUnit {
    features: String,
    /// The number of the package, the name that its crate has here, and the number of its fingerprint.
    deps: Vec<(u64, String, bool, u64)>,
}

impl Unit {
    /// Reads the record of an executable in its directory; `None` if there is none that this version understands.
    pub fn of(executable: &Path) -> Option<Self> {
        parse(&Record::of(executable)?.description()?)
    }
}

/// Returns the features of an executable's package and of all its dependencies, by package name, as
/// recorded by cargo.
pub fn features(executable: &Path) -> BTreeMap<String, String> {
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let Some(record) = Record::of(executable) else { return BTreeMap::new() };
    let libraries = Libraries::of(record.profile.clone());
    let (mut open, mut known) = (vec![record], BTreeSet::new());
    while let Some(record) = open.pop().filter(|_| known.len() < MOST_LIBRARIES) {
        if !known.insert(record.directory.clone()) {
            continue;
        }
        let unit = record.description().and_then(|path| parse::<PackageUnit>(&path));
        let Some(unit) = unit else { continue };
        let own = features.entry(record.package).or_default();
        own.extend(serde_json::from_str::<Vec<String>>(&unit.features).unwrap_or_default());
        let needed = unit.deps.into_iter().filter(|(_, name, ..)| name != BUILD_SCRIPT);
        open.extend(needed.filter_map(|(_, name, _, hash)| libraries.find(&name, hash)));
    }
    let joined = |features: BTreeSet<String>| features.into_iter().collect::<Vec<_>>().join(" ");
    features.into_iter().map(|(package, features)| (package, joined(features))).collect()
}

/// Cargo's directory with the fingerprint of a unit.
#[derive(Clone)]
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
        let list = directory.join(LIST);
        if let Some(found) = entries(&list).find(|path| name(path).ends_with(&suffix)) {
            let package = name(&found).strip_suffix(&suffix)?.to_owned();
            return Some(Self { package, directory: found, profile: directory.to_owned() });
        }
        // A later version of cargo has a directory for each unit: `build/PACKAGE/HASH`
        let package = directory.parent()?;
        let profile = package.parent()?.parent()?.to_owned();
        Some(Self { package: name(package), directory: directory.join("fingerprint"), profile })
    }

    /// Returns the fingerprint, if this is the record of a library.
    fn hash(&self) -> Option<String> {
        let is_library = |path: &PathBuf| {
            name(path).starts_with("lib-") && path.extension().is_none_or(|end| end != "json")
        };
        files::read_to_string(entries(&self.directory).find(is_library)?).ok()
    }

    /// Returns the file with the description of the unit.
    fn description(&self) -> Option<PathBuf> {
        let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
        entries(&self.directory).find(is_json)
    }
}

/// The records of libraries below the directory of a profile.
struct Libraries {
    profile: PathBuf,
    /// The directories of packages with the names that crates have by default: those of records, and of a later version of
    /// cargo those with a directory for each unit.
    by_crate: HashMap<String, Vec<PathBuf>>,
    /// All records by their fingerprints, if a crate has another name than its package.
    by_hash: OnceCell<HashMap<String, Record>>,
}

impl Libraries {
    fn of(profile: PathBuf) -> Self {
        let mut by_crate: HashMap<String, Vec<PathBuf>> = HashMap::new();
        let in_list = entries(&profile.join(LIST)).filter_map(|directory| {
            Some((name(&directory).rsplit_once('-')?.0.to_owned(), directory))
        });
        let in_directories = entries(&profile.join(BUILD)).map(|path| (name(&path), path));
        for (package, directory) in in_list.chain(in_directories) {
            by_crate.entry(package.replace('-', "_")).or_default().push(directory);
        }
        Self { profile, by_crate, by_hash: OnceCell::new() }
    }

    /// Returns the record of a library with this crate and this fingerprint.
    fn find(&self, crate_name: &str, fingerprint: u64) -> Option<Record> {
        let hash = fingerprint.to_le_bytes().map(|byte| format!("{byte:02x}")).concat();
        let named = self.by_crate.get(crate_name).into_iter().flatten();
        let mut named = named.flat_map(|directory| self.records(directory));
        let is_wanted = |record: &Record| record.hash().is_some_and(|found| found == hash);
        named.find(is_wanted).or_else(|| self.by_hash().get(&hash).cloned())
    }

    fn by_hash(&self) -> &HashMap<String, Record> {
        self.by_hash.get_or_init(|| {
            let records = self.by_crate.values().flatten().flat_map(|path| self.records(path));
            records.filter_map(|record| Some((record.hash()?, record))).collect()
        })
    }

    /// Returns the records in a directory of a package.
    fn records(&self, directory: &Path) -> Vec<Record> {
        let name = name(directory);
        let record = |package: &str, directory| Record {
            package: package.to_owned(),
            directory,
            profile: self.profile.clone(),
        };
        if directory.parent().is_some_and(|list| list.ends_with(LIST)) {
            let package = name.rsplit_once('-').map_or(&*name, |(package, _)| package);
            return vec![record(package, directory.to_owned())];
        }
        entries(directory).map(|unit| record(&name, unit.join("fingerprint"))).collect()
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
    fn features_are_those_of_all_packages_that_the_executable_needs() {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path().join("release");
        let write = |path: &str, features: &str, deps: &str, hash: &str| {
            let path = profile.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = format!("{{\"features\":\"{features}\",\"deps\":[{deps}]}}");
            fs::write(path.with_extension("json"), text).unwrap();
            fs::write(&path, hash).unwrap();
        };
        // The last one has another name in the manifest
        let deps = "[1,\"my_lib\",false,258],[2,\"build_script_build\",false,3],[3,\"gone\",false,9],\
                    [4,\"other\",false,4]";
        write(".fingerprint/p-0a/test-bench-my-b", "[\\\"x\\\"]", deps, "00");
        let simd = r#"[\"default\", \"simd\"]"#;
        // Another build of the same library
        write(".fingerprint/my-lib-0b/lib-my_lib", "[]", "", "0000000000000000");
        write(".fingerprint/my-lib-0c/lib-my_lib", simd, "", "0201000000000000");
        write(".fingerprint/my-lib-0d/build-script-build", simd, "", "0300000000000000");
        write(".fingerprint/serde-0d/lib-serde", simd, "", "0400000000000000");
        let found = features(&profile.join("deps/my_b-0a"));
        let found: Vec<_> = found.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(found, ["my-lib: default simd", "p: x", "serde: default simd"]);
        write("build/p/0e/fingerprint/test-bench-my-b", "[]", deps, "00");
        write("build/my-lib/0f/fingerprint/lib-my-lib", "[]", "", "0201000000000000");
        fs::remove_dir_all(profile.join(".fingerprint")).unwrap();
        let found = features(&profile.join("build/p/0e/out/my_b-0e"));
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [("my-lib", ""), ("p", "")].map(|(a, b)| (a.to_owned(), b.to_owned()))
        );
        assert!(features(&profile.join("deps/my_b-0a")).is_empty());
    }
}
