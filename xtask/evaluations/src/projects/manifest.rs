//! Changes to a published `Cargo.toml`, whose form cargo has normalized: a section for each dependency.

use std::fmt::Write as _;
use std::path::Path;

use crate::projects::list::Harness;

/// Returns the manifest of a package that does not belong to the workspace in whose target directory it is.
pub(crate) fn own_workspace(manifest: &str) -> String {
    format!("{manifest}\n[workspace]\n")
}

/// Returns the manifest with the dependency on the harness, if its package lost it.
///
/// Cargo removes dependencies from a package that have a repository but no version.
pub(crate) fn restored(manifest: &str, harness: Harness, version: &str) -> String {
    format!("{manifest}\n[dev-dependencies.{}]\nversion = \"={version}\"\n", harness.package())
}

/// Returns the manifest with the library of this workspace as the harness.
pub(crate) fn with_library(
    manifest: &str,
    harness: Harness,
    workspace: &Path,
) -> Result<String, String> {
    let library = harness.library();
    let path = harness.library_directory(workspace).display().to_string();
    let mut changed = String::new();
    let mut found = false;
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = is_dependency(line, harness);
        }
        let replaced = inside && ["version =", "package ="].iter().any(|key| line.starts_with(key));
        if !replaced {
            writeln!(changed, "{line}").expect("a string takes all");
        }
        if inside && line.starts_with('[') {
            found = true;
            writeln!(changed, "package = {library:?}\npath = {path:?}")
                .expect("a string takes all");
        }
    }
    let package = harness.package();
    found.then_some(changed).ok_or_else(|| format!("Cargo.toml has no section for {package}"))
}

/// Returns the package of the dependency on the harness, which has its name if it is not renamed.
pub(crate) fn package(manifest: &str, harness: Harness) -> &str {
    let mut section = manifest.lines().skip_while(|line| !is_dependency(line, harness)).skip(1);
    let name = section
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .find_map(|line| line.strip_prefix("package = \"")?.strip_suffix('"'));
    name.unwrap_or(harness.package())
}

/// Returns true for the header of the section of this dependency, of any kind and target.
fn is_dependency(header: &str, harness: Harness) -> bool {
    let section = header.trim_start_matches('[').trim_end_matches(']');
    let key = section.strip_suffix(harness.package()).and_then(|rest| rest.strip_suffix('.'));
    key.is_some_and(|kind| kind.ends_with("dependencies"))
}

/// Returns the version of this package in a `Cargo.lock`.
pub(crate) fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1)?.strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_owned())
}

/// Returns the package whose locked version is older than the library needs, by cargo's error.
pub(crate) fn too_old_package(error: &str) -> Option<&str> {
    let (_, rest) = error.split_once("previously selected package `")?;
    rest.split_once(' ').map(|(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_section_of_the_harness_changes() {
        let manifest = "[dev-dependencies.iai]\nversion = \"0.1\"\nfeatures = [\"x\"]\n\n\
                        [dev-dependencies.rand]\nversion = \"0.8\"\n\n[[bench]]\nname = \"iai\"\n";
        let changed = with_library(manifest, Harness::Iai, Path::new("/l")).unwrap();
        let expected = "[dev-dependencies.iai]\npackage = \"iai-callgrind\"\npath = \"/l/iai-callgrind\"\n\
                        features = [\"x\"]\n\n[dev-dependencies.rand]\nversion = \"0.8\"\n\n\
                        [[bench]]\nname = \"iai\"\n";
        assert_eq!(changed, expected);
    }

    #[test]
    fn a_renamed_dependency_gets_the_library_of_its_harness() {
        let manifest = "[dev-dependencies.criterion]\nversion = \"0.5\"\npackage = \"fork\"\n";
        let changed = with_library(manifest, Harness::Criterion, Path::new("/l")).unwrap();
        let expected = "[dev-dependencies.criterion]\npackage = \"iai-callgrind-criterion\"\n\
                        path = \"/l/crates/iai-callgrind-criterion\"\n";
        assert_eq!(changed, expected);
        assert_eq!(package(manifest, Harness::Criterion), "fork");
        let other = "[dev-dependencies.criterion]\nversion = \"0.5\"\n[x]\npackage = \"fork\"\n";
        assert_eq!(package(other, Harness::Criterion), "criterion");
    }

    #[test]
    fn dependencies_of_targets_are_found() {
        let header = "[target.'cfg(unix)'.dev-dependencies.gungraun]";
        assert!(is_dependency(header, Harness::Gungraun));
        assert!(!is_dependency("[features.iai]", Harness::Iai));
        assert!(!is_dependency("[dev-dependencies.other-iai]", Harness::Iai));
    }

    #[test]
    fn a_manifest_without_the_harness_is_an_error() {
        with_library("[dependencies.x]\nversion = \"1\"\n", Harness::Iai, Path::new("/l"))
            .unwrap_err();
    }

    #[test]
    fn a_restored_dependency_can_be_replaced() {
        let manifest = restored("[package]\n", Harness::Iai, "0.1.1");
        let changed = with_library(&manifest, Harness::Iai, Path::new("/l")).unwrap();
        assert!(changed.contains("path = \"/l/iai-callgrind\""), "{changed}");
    }

    #[test]
    fn the_version_is_in_the_lock() {
        let lock = "[[package]]\nname = \"iai-callgrind-macros\"\nversion = \"0.5.0\"\n\n\
                    [[package]]\nname = \"iai-callgrind\"\nversion = \"0.14.2\"\n";
        assert_eq!(locked_version(lock, "iai-callgrind").as_deref(), Some("0.14.2"));
        assert_eq!(locked_version(lock, "iai"), None);
    }

    #[test]
    fn the_old_package_is_in_the_error() {
        let error = "all possible versions conflict with previously selected packages.\n\n  \
                     previously selected package `quote v1.0.9`\n    ... which satisfies";
        assert_eq!(too_old_package(error), Some("quote"));
        assert_eq!(too_old_package("error: no such command"), None);
    }
}
