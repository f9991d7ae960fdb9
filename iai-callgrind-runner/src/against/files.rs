//! Files of this side in the work tree of another revision: a lock file that is not committed, and benchmark files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::directories::place_in;
use crate::environment;
use crate::error::{Error, Result};
use crate::output::{remove_file, replace_page};

/// The directory of a package with its benchmark files.
const BENCHES: &str = "benches";

/// Sections of a manifest that belong to the benchmark files.
const SECTIONS: [&str; 2] = ["bench", "dev-dependencies"];

/// Copies the lock file of the workspace if the revision has none, so that both sides have the same dependencies.
pub(super) fn copy_lock(workspace: &Path, top: &Path, tree: &Path) -> Result<()> {
    let lock = workspace.join("Cargo.lock");
    let Ok(path) = lock.strip_prefix(top) else { return Ok(()) };
    let Some(copy) = place_in(tree, path) else { return Ok(()) };
    let has_workspace = copy.parent().is_some_and(Path::is_dir);
    if lock.is_file() && has_workspace && copy.symlink_metadata().is_err() {
        let copied = || {
            fs::copy(&lock, &copy)?;
            // A file with the same time has not changed between two commits
            fs::File::open(&copy)?.set_modified(lock.metadata()?.modified()?)
        };
        copied().map_err(Error::io("write", &copy))?;
    }
    Ok(())
}

/// Replaces the benchmark files of a package, and what its manifest says about them, by those of this side.
pub(super) fn copy_benches(package: &Path, top: &Path, tree: &Path) -> Result<()> {
    let Ok(path) = package.strip_prefix(top) else { return Ok(()) };
    let place = |file: &Path| {
        let in_tree = place_in(tree, &path.join(file));
        in_tree.ok_or_else(|| Error::OutsideOfRevision { path: path.join(file) })
    };
    let manifest = place(Path::new("Cargo.toml"))?;
    if !manifest.is_file() {
        return Ok(());
    }
    // A link is removed itself
    let benches = place(Path::new(BENCHES))?;
    if benches.symlink_metadata().is_ok() {
        fs::remove_dir_all(&benches).map_err(Error::io("remove", &benches))?;
    }
    for file in sources(package)? {
        let copy = place(&file)?;
        let directory = copy.parent().unwrap_or(&benches);
        fs::create_dir_all(directory).map_err(Error::io("create the directory", directory))?;
        remove_file(&copy)?;
        fs::copy(package.join(&file), &copy).map_err(Error::io("write", &copy))?;
    }
    let (mut theirs, ours) = (read(&manifest)?, read(&package.join("Cargo.toml"))?);
    for section in SECTIONS {
        merge(&mut theirs, &ours, section);
    }
    write(&manifest, &theirs)?;
    copy_shared_dependencies(top, tree)
}

/// Adds the dependencies of the workspace that the other revision does not have.
fn copy_shared_dependencies(top: &Path, tree: &Path) -> Result<()> {
    let manifest = tree.join("Cargo.toml");
    let ours = top.join("Cargo.toml");
    if !manifest.is_file() || !ours.is_file() {
        return Ok(());
    }
    let mut theirs = read(&manifest)?;
    let ours = read(&ours)?;
    let (Some(Value::Table(to)), Some(Value::Table(from))) =
        (theirs.get_mut("workspace"), ours.get("workspace"))
    else {
        return Ok(());
    };
    if let Some(Value::Table(dependencies)) = from.get("dependencies") {
        let to = to.entry("dependencies").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(to) = to {
            for (name, dependency) in dependencies {
                to.entry(name).or_insert_with(|| dependency.clone());
            }
        }
    }
    write(&manifest, &theirs)
}

/// Replaces the entries of a section by those of this side. Other entries of a table stay.
fn merge(theirs: &mut Table, ours: &Table, section: &str) {
    match (theirs.get_mut(section), ours.get(section)) {
        (Some(Value::Table(theirs)), Some(Value::Table(ours))) => {
            theirs.extend(ours.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        (_, Some(ours)) => {
            theirs.insert(section.to_owned(), ours.clone());
        }
        (_, None) => {}
    }
}

/// Returns a hash of the benchmark files of a package, of its manifest and of that of the workspace.
pub(super) fn hash(package: &Path) -> Result<String> {
    let mut all = Vec::new();
    for file in sources(package)?.into_iter().chain([PathBuf::from("Cargo.toml")]) {
        let path = package.join(&file);
        all.extend_from_slice(file.as_os_str().as_encoded_bytes());
        all.push(0);
        all.extend(fs::read(&path).map_err(Error::io("read", &path))?);
    }
    Ok(environment::hash(&all))
}

/// Lists the files of the benchmarks, by their paths in the package.
fn sources(package: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if package.join(BENCHES).is_dir() {
        collect(package, Path::new(BENCHES), &mut files)?;
    }
    let manifest = read(&package.join("Cargo.toml"))?;
    let targets = manifest.get("bench").and_then(Value::as_array).into_iter().flatten();
    let paths = targets.filter_map(|target| target.get("path")?.as_str()).map(PathBuf::from);
    let others = paths.filter(|path| !path.starts_with(BENCHES) && package.join(path).is_file());
    files.extend(others);
    files.sort();
    Ok(files)
}

fn collect(package: &Path, directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let path = package.join(directory);
    let entries = fs::read_dir(&path).map_err(Error::io("read the directory", &path))?;
    for entry in entries.flatten() {
        let path = directory.join(entry.file_name());
        if entry.path().is_dir() {
            collect(package, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn read(manifest: &Path) -> Result<Table> {
    let text = fs::read_to_string(manifest).map_err(Error::io("read", manifest))?;
    text.parse().map_err(|error: toml::de::Error| {
        Error::io("read", manifest)(io::Error::other(error.message().to_owned()))
    })
}

fn write(manifest: &Path, table: &Table) -> Result<()> {
    replace_page(manifest, table.to_string().as_bytes()).map_err(Error::io("write", manifest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files with their contents below a directory.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        directory
    }

    #[test]
    fn benchmark_files_replace_those_of_the_revision() {
        let top = tree(&[
            (
                "Cargo.toml",
                "[workspace]\nmembers = ['p']\n[workspace.dependencies]\nx = '2'\ny = '1'\n",
            ),
            (
                "p/Cargo.toml",
                "[package]\nname = 'new'\n[dev-dependencies]\nx = { workspace = true }\n[[bench]]\nname = 'b'\nharness = false\n[[bench]]\nname = 'c'\npath = 'other/c.rs'\n",
            ),
            ("p/benches/b.rs", "new"),
            ("p/benches/data/x", "data"),
            ("p/other/c.rs", "c"),
        ]);
        let other = tree(&[
            ("Cargo.toml", "[workspace]\nmembers = ['p']\n[workspace.dependencies]\nx = '1'\n"),
            ("p/Cargo.toml", "[package]\nname = 'old'\n[dev-dependencies]\nz = '1'\n"),
            ("p/benches/a.rs", "old"),
        ]);
        copy_benches(&top.path().join("p"), top.path(), other.path()).unwrap();
        let package = other.path().join("p");
        assert!(!package.join("benches/a.rs").exists());
        for (path, content) in
            [("benches/b.rs", "new"), ("benches/data/x", "data"), ("other/c.rs", "c")]
        {
            assert_eq!(fs::read_to_string(package.join(path)).unwrap(), content);
        }
        let manifest = read(&package.join("Cargo.toml")).unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("old"));
        assert_eq!(manifest["dev-dependencies"]["z"].as_str(), Some("1"));
        assert_eq!(manifest["dev-dependencies"]["x"]["workspace"].as_bool(), Some(true));
        assert_eq!(manifest["bench"].as_array().unwrap().len(), 2);
        let workspace = read(&other.path().join("Cargo.toml")).unwrap();
        let dependencies = &workspace["workspace"]["dependencies"];
        assert_eq!(dependencies["x"].as_str(), Some("1"), "those of the revision stay");
        assert_eq!(dependencies["y"].as_str(), Some("1"));
    }

    #[test]
    fn the_hash_changes_with_each_benchmark_file() {
        let files = |content| {
            let files = [("Cargo.toml", ""), ("benches/b.rs", content), ("src/lib.rs", content)];
            tree(&files)
        };
        let hash = |content| hash(files(content).path()).unwrap();
        assert_eq!(hash("a"), hash("a"));
        assert_ne!(hash("a"), hash("b"));
    }

    #[test]
    fn a_lock_file_that_is_not_committed_is_copied() {
        let top = tree(&[("Cargo.lock", "here")]);
        let [without, with] = [tree(&[]), tree(&[("Cargo.lock", "theirs")])];
        for (tree, expected) in [(&without, "here"), (&with, "theirs")] {
            copy_lock(top.path(), top.path(), tree.path()).unwrap();
            let lock = fs::read_to_string(tree.path().join("Cargo.lock")).unwrap();
            assert_eq!(lock, expected);
        }
    }
}
