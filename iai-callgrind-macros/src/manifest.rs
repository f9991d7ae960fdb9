//! Cargo's manifests: the directory of the workspace, and the name of the dependency on the library.

use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Name of the library's package.
const LIBRARY: &str = "iai-callgrind";

/// Returns the directory of the workspace that is compiled.
pub(crate) fn workspace() -> PathBuf {
    let current = env::current_dir().unwrap_or_default();
    match package() {
        Some(package) => workspace_of(&package, &current),
        None => current,
    }
}

/// Returns the name that the compiled crate has for the library.
pub(crate) fn library_name() -> String {
    let renamed = package().and_then(|package| {
        let manifest = read(&package);
        find_name(&manifest, || read(&workspace()))
    });
    renamed.unwrap_or_else(|| LIBRARY.to_owned()).replace('-', "_")
}

fn package() -> Option<PathBuf> {
    env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// Returns the text of the manifest in this directory, an empty one if there is none.
fn read(directory: &Path) -> String {
    fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default()
}

/// Parses a manifest, which cargo has read before without an error.
fn parse(manifest: &str) -> DeTable<'_> {
    // Editors show a byte order mark as nothing, and cargo ignores it
    let manifest = manifest.strip_prefix('\u{feff}').unwrap_or(manifest);
    DeTable::parse(manifest).map(Spanned::into_inner).unwrap_or_default()
}

/// Returns the directory of the workspace that contains this package.
///
/// Cargo starts the compiler there. A search would find a workspace that excludes the package. Other
/// tools start the compiler anywhere.
fn workspace_of(package: &Path, current: &Path) -> PathBuf {
    if current == package || is_workspace(current) {
        return current.to_owned();
    }
    let root = package.ancestors().find(|directory| is_workspace(directory));
    root.unwrap_or(package).to_owned()
}

fn is_workspace(directory: &Path) -> bool {
    parse(&read(directory)).contains_key("workspace")
}

/// Returns the name of the dependency that renames the library, in the package or in its workspace.
fn find_name(package: &str, workspace: impl FnOnce() -> String) -> Option<String> {
    let package = parse(package);
    let own = dependencies(&package);
    if own.iter().any(|(name, _)| *name == LIBRARY) {
        return None;
    }
    if let Some((name, _)) = own.iter().find(|(_, dependency)| is_library(dependency)) {
        return Some((*name).to_owned());
    }
    let text = workspace();
    let workspace = parse(&text);
    let shared = table(workspace.get("workspace")?.get_ref(), "dependencies")?;
    let is_shared = |name: &str| shared.get(name).is_some_and(|found| is_library(found.get_ref()));
    let inherited = own.iter().find(|(name, dependency)| inherits(dependency) && is_shared(name));
    inherited.map(|(name, _)| (*name).to_owned())
}

/// Returns the dependencies of a package with their names, also those of platforms.
fn dependencies<'a>(manifest: &'a DeTable<'_>) -> Vec<(&'a str, &'a DeValue<'a>)> {
    let platforms = manifest.get("target").and_then(|target| target.get_ref().as_table());
    let platforms = platforms.into_iter().flat_map(|target| target.values());
    let tables = platforms.filter_map(|platform| platform.get_ref().as_table());
    let kinds = tables.chain([manifest]).flat_map(|table| table.iter());
    // Editions before 2024 have names with an underscore as well
    let kinds = kinds.filter(|(kind, _)| {
        matches!(&**kind.get_ref(), "dependencies" | "dev-dependencies" | "dev_dependencies")
    });
    let tables = kinds.filter_map(|(_, kind)| kind.get_ref().as_table());
    let named = tables.flat_map(|table| table.iter());
    named.map(|(name, dependency)| (&**name.get_ref(), dependency.get_ref())).collect()
}

fn table<'a>(value: &'a DeValue<'_>, name: &str) -> Option<&'a DeTable<'a>> {
    value.get(name)?.get_ref().as_table()
}

fn is_library(dependency: &DeValue<'_>) -> bool {
    dependency.get("package").and_then(|package| package.get_ref().as_str()) == Some(LIBRARY)
}

fn inherits(dependency: &DeValue<'_>) -> bool {
    dependency.get("workspace").and_then(|workspace| workspace.get_ref().as_bool()) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_directory::TestDirectory;

    #[test]
    fn the_workspace_is_found_from_anywhere() {
        for workspace in [
            "[workspace.package]\nversion = \"1.0.0\"\n",
            "workspace = { members = [\n  \"members/*\",\n] }\n",
            "workspace.members = []\n",
            "[ workspace ] # all\n",
            "\u{feff}[\"workspace\"]\n",
        ] {
            let directory = TestDirectory::new(
                "workspace",
                &[
                    ("Cargo.toml", workspace.as_bytes()),
                    (
                        "members/one/Cargo.toml",
                        b"[package]\n# [workspace]\ndescription = '''\n[workspace]\n'''\n",
                    ),
                    ("excluded/Cargo.toml", b"[package]\n"),
                ],
            );
            let root = directory.path();
            let member = root.join("members/one");
            assert_eq!(workspace_of(&member, root), root, "as cargo does");
            assert_eq!(workspace_of(&member, Path::new("/")), root);
            assert_eq!(workspace_of(&member, &root.join("members")), root);
            let excluded = root.join("excluded");
            assert_eq!(workspace_of(&excluded, &excluded), excluded);
        }
        let alone = Path::new("/no/such/package");
        assert_eq!(workspace_of(alone, Path::new("/")), alone);
    }

    #[test]
    fn a_renamed_dependency_is_found_in_every_form() {
        for manifest in [
            "[dev-dependencies]\nbench = { package = \"iai-callgrind\", path = \"..\" }",
            "[dev-dependencies]\n\"bench\" = { version = \"1\", package = 'iai-callgrind' } # fast",
            "[dev-dependencies]\nbench.package = \"iai-callgrind\"\nbench.path = \"..\"",
            "[target.'cfg(unix)'.dev-dependencies]\nbench={path=\"..\",package=\"iai-callgrind\"}",
            "[dependencies.bench]\nversion = \"1\"\npackage = \"iai-callgrind\"\n[features]",
            "[dev-dependencies]\nbench = { path = \"a#b\", features = [\n    \"x\", # more\n], package = \"iai-callgrind\" }",
            "[dev-dependencies]\nbench = {\n  path = \"..\",\n  package = \"iai-callgrind\",\n}",
            "dev-dependencies = { bench = { package = \"\"\"\niai-callgrind\"\"\" } }",
            "dev-dependencies.bench.package = \"iai\\u002dcallgrind\"",
            "[dev_dependencies]\nbench = { package = \"iai-callgrind\" }\r\n",
            "[ \"dev-dependencies\" . bench ]\npackage = \"iai-callgrind\"",
            "\u{feff}[dev-dependencies]\nbench = { package = \"iai-callgrind\" }",
        ] {
            let name = find_name(manifest, || panic!("the workspace is not needed"));
            assert_eq!(name.as_deref(), Some("bench"), "{manifest}");
        }
    }

    #[test]
    fn a_name_is_inherited_from_the_workspace() {
        for workspace in [
            "[workspace.dependencies]\nbench = { package = \"iai-callgrind\", version = \"1\" }",
            "[workspace]\ndependencies.bench = { features = [\n\"a\"\n], package = \"iai-callgrind\" }",
        ] {
            for package in [
                "[dev-dependencies]\nbench = { workspace = true }",
                "[dev-dependencies]\nbench.workspace = true",
                "[dev-dependencies]\nbench = { features = [\n'b' ], workspace = true }",
            ] {
                assert_eq!(find_name(package, || workspace.to_owned()).as_deref(), Some("bench"));
            }
            let other = "[dev-dependencies]\niai-callgrind.workspace = true";
            assert_eq!(find_name(other, || workspace.to_owned()), None);
            for package in
                ["[package]\nname = \"bench\"", "[dev-dependencies]\nbench = { path = \"..\" }"]
            {
                assert_eq!(find_name(package, || workspace.to_owned()), None);
            }
        }
    }

    #[test]
    fn other_lines_do_not_rename_the_library() {
        for manifest in [
            "[patch.crates-io]\nbench = { package = \"iai-callgrind\", path = \"..\" }",
            "[dev-dependencies]\nmacros = { package = \"iai-callgrind-macros\" }",
            "[dev-dependencies]\n# bench = { package = \"iai-callgrind\" }\nbench = \"1\"",
            "[package]\nname = \"iai-callgrind\"",
            "[package.metadata.dev-dependencies]\nbench = { package = \"iai-callgrind\" }",
            "[package]\ndescription = '''\n[dev-dependencies]\nbench = { package = \"iai-callgrind\" }\n'''",
        ] {
            assert_eq!(find_name(manifest, String::new), None, "{manifest}");
        }
    }
}
