//! Changes to manifests of other packages.

use std::path::Path;

use toml::{Table, Value};

/// Sections that need dependencies of their own, or change how the library is built.
const REMOVED: [&str; 10] = [
    "badges",
    "bench",
    "dev-dependencies",
    "example",
    "lints",
    "patch",
    "profile",
    "replace",
    "test",
    "workspace",
];

/// Reads a manifest.
pub(crate) fn parse(text: &str) -> Result<Table, String> {
    text.parse().map_err(|error| format!("Cargo.toml: {error}"))
}

/// Returns the parts of a manifest that the library needs.
pub(crate) fn library(manifest: &str) -> Result<Table, String> {
    let mut manifest = parse(manifest)?;
    manifest.retain(|name, _| !REMOVED.contains(&name));
    for (_, target) in targets(&mut manifest) {
        target.remove("dev-dependencies");
    }
    if let Some(library) = manifest.get_mut("lib").and_then(Value::as_table_mut) {
        library.remove("bench");
    }
    if let Some(package) = manifest.get_mut("package").and_then(Value::as_table_mut) {
        package
            .retain(|name, _| !["metadata", "readme", "rust-version", "workspace"].contains(&name));
        for name in ["autobenches", "autobins", "autoexamples", "autotests"] {
            package.insert(name.to_owned(), Value::Boolean(false));
        }
    }
    Ok(manifest)
}

/// Returns what decides how the library is compiled: all but the version of the package.
pub(crate) fn build_settings(manifest: &str) -> Result<String, String> {
    let mut manifest = library(manifest)?;
    let package = manifest.remove("package");
    let edition = package.as_ref().and_then(|package| package.get("edition"));
    Ok(format!("{}\n{manifest}", edition.map(Value::to_string).unwrap_or_default()))
}

/// Returns the section of a dependency, of any kind and target. Cargo gives each one a section when it publishes a package.
pub(crate) fn dependency<'a>(manifest: &'a mut Table, package: &str) -> Option<&'a mut Table> {
    let has = |table: &Table| {
        let mut kinds = table.iter().filter(|(name, _)| name.ends_with("dependencies"));
        kinds.find(|(_, kind)| kind.get(package).is_some()).map(|(name, _)| name.clone())
    };
    let (table, kind) = match has(manifest) {
        Some(kind) => (manifest, kind),
        None => targets(manifest).find_map(|(_, target)| has(target).map(|kind| (target, kind)))?,
    };
    table.get_mut(&kind)?.get_mut(package)?.as_table_mut()
}

/// Replaces a dependency with another package in a directory.
pub(crate) fn replace(dependency: &mut Table, package: &str, directory: &Path) {
    dependency.remove("version");
    for (key, value) in [("package", package), ("path", &directory.display().to_string())] {
        dependency.insert(key.to_owned(), Value::from(value));
    }
}

/// Returns the sections of targets.
fn targets(manifest: &mut Table) -> impl Iterator<Item = (&String, &mut Table)> {
    let targets = manifest.get_mut("target").and_then(Value::as_table_mut);
    let targets = targets.into_iter().flat_map(Table::iter_mut);
    targets.filter_map(|(name, target)| Some((name, target.as_table_mut()?)))
}

/// Returns the version of this package in a `Cargo.lock`.
pub(crate) fn locked_version(lock: &str, package: &str) -> Option<String> {
    let lock: Table = lock.parse().ok()?;
    let packages = lock.get("package")?.as_array()?;
    let found = packages.iter().find(|found| found["name"].as_str() == Some(package))?;
    found.get("version")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"a\"\nversion = \"1.0.0\"\nedition = \"2018\"\nreadme = \"README.md\"\n\
        [lib]\nbench = false\n[features]\ndefault = [\"std\"]\nstd = []\n[dependencies]\nb = \"1\"\n\
        [dev-dependencies.criterion]\nversion = \"0.5\"\n[target.'cfg(unix)'.dev-dependencies.c]\nversion = \"1\"\n\
        features = [\"x\"]\n[[bench]]\nname = \"own\"\nharness = false\n[profile.bench]\nlto = true\n";

    #[test]
    fn only_the_library_is_kept() {
        let library = library(MANIFEST).unwrap();
        let text = library.to_string();
        for removed in ["criterion", "own", "lto", "features = [\"x\"]", "readme"] {
            assert!(!text.contains(removed), "{text}");
        }
        assert_eq!(library["dependencies"]["b"].as_str(), Some("1"));
    }

    #[test]
    fn a_release_changes_no_build_settings() {
        let settings = |text: String| build_settings(&text).unwrap();
        let before = settings(MANIFEST.to_owned());
        assert_eq!(settings(MANIFEST.replace("1.0.0", "1.0.1")), before);
        assert_ne!(settings(MANIFEST.replace("2018", "2021")), before);
        assert_ne!(settings(MANIFEST.replace("b = \"1\"", "b = \"2\"")), before);
    }

    #[test]
    fn only_the_section_of_the_harness_changes() {
        let mut manifest = parse(MANIFEST).unwrap();
        replace(dependency(&mut manifest, "c").unwrap(), "library", Path::new("/l"));
        let expected = "features = [\"x\"]\npackage = \"library\"\npath = \"/l\"\n";
        let changed = manifest["target"]["cfg(unix)"]["dev-dependencies"]["c"].clone();
        assert_eq!(Table::try_from(changed).unwrap().to_string(), expected);
        assert!(dependency(&mut manifest, "criterion").is_some());
        assert!(dependency(&mut manifest, "other").is_none());
    }
}
