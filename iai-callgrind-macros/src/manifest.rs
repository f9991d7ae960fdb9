//! Cargo's manifests: the directory of the workspace, and the name of the dependency on the library.

use std::path::{Path, PathBuf};
use std::{env, fs};

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
///
/// Reads lines instead of TOML, because a parser would be the largest dependency of a user's build. A
/// name in an inline table of several lines is not found and needs the parameter `crate`.
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
    read(directory)
        .lines()
        .map(str::trim)
        .any(|line| ["[workspace]", "[workspace."].iter().any(|section| line.starts_with(section)))
}

/// Line about a dependency.
struct Dependency {
    name: String,
    /// `true` in the section `[workspace.dependencies]`.
    is_inherited: bool,
    /// `true` for a line with `package = "iai-callgrind"`.
    is_library: bool,
}

/// Returns the name of the dependency that renames the library, in the package or in its workspace.
fn find_name(package: &str, workspace: impl FnOnce() -> String) -> Option<String> {
    let own: Vec<_> = dependencies(package).filter(|line| !line.is_inherited).collect();
    if own.iter().any(|line| line.name == LIBRARY) {
        return None;
    }
    if let Some(renamed) = own.iter().find(|line| line.is_library) {
        return Some(renamed.name.clone());
    }
    let mut inherited = dependencies(&workspace())
        .filter(|line| line.is_inherited && line.is_library)
        .collect::<Vec<_>>();
    inherited.retain(|line| own.iter().any(|own| own.name == line.name));
    inherited.pop().map(|line| line.name)
}

/// Returns the lines about dependencies.
fn dependencies(manifest: &str) -> impl Iterator<Item = Dependency> {
    let mut section = String::new();
    manifest.lines().filter_map(move |line| {
        let line = line.split('#').next().unwrap_or_default();
        let line = line.replace(char::is_whitespace, "").replace('\'', "\"");
        if line.starts_with('[') {
            line.trim_matches(['[', ']']).clone_into(&mut section);
            return None;
        }
        let (_, name) = section.rsplit_once("dependencies")?;
        let name = match name.strip_prefix('.') {
            Some(name) => name,
            None => line.split(['=', '.']).next().filter(|name| !name.is_empty())?,
        };
        Some(Dependency {
            name: name.trim_matches('"').to_owned(),
            is_inherited: section.starts_with("workspace."),
            is_library: line.contains(&format!("package=\"{LIBRARY}\"")),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_directory::TestDirectory;

    #[test]
    fn the_workspace_is_found_from_anywhere() {
        let directory = TestDirectory::new(
            "workspace",
            &[
                ("Cargo.toml", b"[workspace.package]\nversion = \"1.0.0\"\n"),
                ("members/one/Cargo.toml", b"[package]\n# [workspace]\n"),
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
        ] {
            let name = find_name(manifest, || panic!("the workspace is not needed"));
            assert_eq!(name.as_deref(), Some("bench"), "{manifest}");
        }
    }

    #[test]
    fn a_name_is_inherited_from_the_workspace() {
        let workspace =
            "[workspace.dependencies]\nbench = { package = \"iai-callgrind\", version = \"1\" }";
        for package in [
            "[dev-dependencies]\nbench = { workspace = true }",
            "[dev-dependencies]\nbench.workspace = true",
        ] {
            assert_eq!(find_name(package, || workspace.to_owned()).as_deref(), Some("bench"));
        }
        let other = "[dev-dependencies]\niai-callgrind.workspace = true";
        assert_eq!(find_name(other, || workspace.to_owned()), None);
        assert_eq!(find_name("[package]\nname = \"bench\"", || workspace.to_owned()), None);
    }

    #[test]
    fn other_lines_do_not_rename_the_library() {
        for manifest in [
            "[patch.crates-io]\nbench = { package = \"iai-callgrind\", path = \"..\" }",
            "[dev-dependencies]\nmacros = { package = \"iai-callgrind-macros\" }",
            "[dev-dependencies]\n# bench = { package = \"iai-callgrind\" }\nbench = \"1\"",
            "[package]\nname = \"iai-callgrind\"",
        ] {
            assert_eq!(find_name(manifest, String::new), None, "{manifest}");
        }
    }
}
