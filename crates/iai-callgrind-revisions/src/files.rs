//! Files of this side in the work tree of another revision: a lock file that is not committed, and benchmark files.

use iai_callgrind_profile::files;
use iai_callgrind_store::{remove_file, replace_page};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::directories::place_in;
use super::error::{AgainstError, Error, Result};

/// The directory of a package with its benchmark files.
const BENCHES: &str = "benches";

/// Maximum number of the files and directories of benchmarks.
const MOST_FILES: usize = 100_000;

/// The name of a manifest.
const MANIFEST: &str = "Cargo.toml";

/// Directories of this side, and the work tree of the other one.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceTrees<'a> {
    /// The directory of the package with the benchmark file.
    pub(super) package: &'a Path,
    /// The directory of its workspace.
    pub(super) workspace: &'a Path,
    /// The top directory of the work tree.
    pub(super) top: &'a Path,
    /// The work tree of the other revision.
    pub(super) tree: &'a Path,
}

impl SourceTrees<'_> {
    /// Returns the place in the other work tree of a path in this one.
    fn place(&self, path: &Path) -> Result<PathBuf> {
        let relative = path.strip_prefix(self.top).unwrap_or(path);
        let in_tree = place_in(self.tree, relative);
        Ok(in_tree.ok_or_else(|| AgainstError::OutsideOfRevision { path: relative.to_owned() })?)
    }
}

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

/// Replaces the benchmark files of a package, and what manifests say about them, by those of this side. Returns the paths
/// of the files in the work tree.
pub(super) fn copy_benches(trees: &SourceTrees<'_>) -> Result<Vec<PathBuf>> {
    let SourceTrees { package, workspace, top, .. } = *trees;
    let manifest = trees.place(&package.join(MANIFEST))?;
    if !package.starts_with(top) || !manifest.is_file() {
        return Ok(Vec::new());
    }
    // A link is removed itself
    let benches = trees.place(&package.join(BENCHES))?;
    if benches.symlink_metadata().is_ok() {
        fs::remove_dir_all(&benches).map_err(Error::io("remove", &benches))?;
    }
    let mut copies = Vec::new();
    for file in sources(package)? {
        let copy = trees.place(&package.join(&file))?;
        let directory = copy.parent().unwrap_or(&benches);
        fs::create_dir_all(directory).map_err(Error::io("create the directory", directory))?;
        remove_file(&copy)?;
        fs::copy(package.join(&file), &copy).map_err(Error::io("write", &copy))?;
        copies.push(copy);
    }
    let (mut theirs, ours) = (read(&manifest)?, read(&package.join(MANIFEST))?);
    let has_library = theirs.contains_key("lib") || manifest.with_file_name("src/lib.rs").is_file();
    replace_targets(&mut theirs, &ours, has_library);
    replace_dependencies(&mut theirs, &ours);
    write(&manifest, &theirs)?;
    let root = trees.place(&workspace.join(MANIFEST))?;
    if workspace.starts_with(top) && workspace.join(MANIFEST).is_file() && root.is_file() {
        let (mut theirs, ours) = (read(&root)?, read(&workspace.join(MANIFEST))?);
        // With the profiles that `bench` inherits from
        replace(&mut theirs, &ours, &["profile"]);
        let shared = ["workspace", "dependencies"];
        if theirs.contains_key(shared[0]) {
            add(&mut theirs, &shared, table(&ours, &shared));
        }
        write(&root, &theirs)?;
    }
    Ok(copies)
}

/// Replaces what a manifest says about the targets that `cargo bench` builds.
fn replace_targets(theirs: &mut Table, ours: &Table, has_library: bool) {
    replace(theirs, ours, &["bench"]);
    replace(theirs, ours, &["package", "autobenches"]);
    if has_library {
        replace(theirs, ours, &["lib", "bench"]);
    }
}

/// Replaces the dependencies of benchmark files, also those of platforms. Where the library itself is a benchmark, its own
/// tests need theirs too.
fn replace_dependencies(theirs: &mut Table, ours: &Table) {
    const DEPENDENCIES: &str = "dev-dependencies";
    let library = table(ours, &["lib"]).and_then(|library| library.get("bench"));
    let has_own = library.and_then(Value::as_bool).unwrap_or(true);
    let platforms =
        [&*theirs, ours].into_iter().filter_map(|manifest| table(manifest, &["target"]));
    let platforms: BTreeSet<String> = platforms.flat_map(Table::keys).cloned().collect();
    let of_platforms = platforms.iter().map(|platform| vec!["target", platform, DEPENDENCIES]);
    for path in of_platforms.chain([vec![DEPENDENCIES]]) {
        let kept = table(theirs, &path).filter(|_| has_own).cloned();
        replace(theirs, ours, &path);
        add(theirs, &path, kept.as_ref());
    }
}

/// Returns the table at a path, if there is one.
fn table<'a>(manifest: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(manifest, |table, name| table.get(*name)?.as_table())
}

/// Returns the table at a path, which is created; `None` if something else is there.
fn table_mut<'a>(manifest: &'a mut Table, path: &[&str]) -> Option<&'a mut Table> {
    path.iter().try_fold(manifest, |table, name| {
        table.entry(*name).or_insert_with(|| Value::Table(Table::new())).as_table_mut()
    })
}

/// Replaces the value at a path with this side's.
fn replace(theirs: &mut Table, ours: &Table, path: &[&str]) {
    let Some((name, above)) = path.split_last() else { return };
    let Some(theirs) = table_mut(theirs, above) else { return };
    match table(ours, above).and_then(|ours| ours.get(*name)) {
        Some(value) => _ = theirs.insert((*name).to_owned(), value.clone()),
        None => _ = theirs.remove(*name),
    }
}

/// Adds the entries that the table at a path does not have.
fn add(theirs: &mut Table, path: &[&str], entries: Option<&Table>) {
    let Some(entries) = entries else { return };
    let Some(theirs) = table_mut(theirs, path) else { return };
    for (name, value) in entries {
        theirs.entry(name).or_insert_with(|| value.clone());
    }
}

/// Returns a hash of the benchmark files of a package, of its manifest and of that of the workspace.
pub(super) fn hash(package: &Path, workspace: &Path) -> Result<String> {
    let mut all = Vec::new();
    for file in sources(package)?.into_iter().chain([PathBuf::from(MANIFEST)]) {
        let path = package.join(&file);
        all.extend_from_slice(file.as_os_str().as_encoded_bytes());
        all.push(0);
        all.extend(files::read(&path).map_err(Error::io("read", &path))?);
    }
    all.extend(files::read(workspace.join(MANIFEST)).unwrap_or_default());
    Ok(iai_callgrind_base::hash(&all))
}

/// Lists the files of the benchmarks, by their paths in the package.
fn sources(package: &Path) -> Result<Vec<PathBuf>> {
    let mut walk = Walk { package, above: Vec::new(), files: Vec::new(), number: 0 };
    if package.join(BENCHES).is_dir() {
        walk.add(Path::new(BENCHES))?;
    }
    let mut files = walk.files;
    let manifest = read(&package.join(MANIFEST))?;
    let targets = manifest.get("bench").and_then(Value::as_array).into_iter().flatten();
    let paths = targets.filter_map(|target| target.get("path")?.as_str()).map(PathBuf::from);
    let others = paths.filter(|path| !path.starts_with(BENCHES) && package.join(path).is_file());
    files.extend(others);
    files.sort();
    Ok(files)
}

/// The directory of the benchmarks with all below it, also behind links.
struct Walk<'a> {
    package: &'a Path,
    /// The real paths of the directories above the current one.
    above: Vec<PathBuf>,
    files: Vec<PathBuf>,
    /// Number of files and directories.
    number: usize,
}

impl Walk<'_> {
    /// Adds the files of a directory, by its path in the package. A link to a directory above has none that are not found
    /// there, and other links can lead to as many as there are.
    fn add(&mut self, directory: &Path) -> Result<()> {
        let path = self.package.join(directory);
        let real = path.canonicalize().map_err(Error::io("follow", &path))?;
        if self.above.contains(&real) {
            return Ok(());
        }
        self.above.push(real);
        let entries = fs::read_dir(&path).map_err(Error::io("read the directory", &path))?;
        for entry in entries.flatten() {
            let path = directory.join(entry.file_name());
            match entry.path().metadata() {
                Ok(metadata) if metadata.is_dir() => self.add(&path)?,
                Ok(metadata) if metadata.is_file() => self.files.push(path),
                // Links to nothing, pipes and the like are not code
                _ => {}
            }
            self.number += 1;
            if self.number > MOST_FILES {
                let directory = self.package.join(BENCHES);
                return Err(AgainstError::TooManyFiles { directory, most: MOST_FILES }.into());
            }
        }
        self.above.pop();
        Ok(())
    }
}

fn read(manifest: &Path) -> Result<Table> {
    let text = files::read_to_string(manifest).map_err(Error::io("read", manifest))?;
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
    fn links_that_lead_around_have_an_end() {
        use std::os::unix::fs::symlink;

        let package = tree(&[
            ("Cargo.toml", "[package]\nname = 'p'\n"),
            ("benches/b.rs", "code"),
            ("benches/d/x", "data"),
            ("other/y", "data"),
        ]);
        let benches = package.path().join("benches");
        for (target, link) in [
            (".", "here"),
            (".", "again"),
            ("../..", "d/up"),
            ("missing", "nothing"),
            ("../other", "others"),
        ] {
            symlink(target, benches.join(link)).unwrap();
        }
        let found = sources(package.path()).unwrap();
        let below = |path: &str| found.contains(&PathBuf::from(path));
        assert!(below("benches/b.rs") && below("benches/d/x") && below("benches/others/y"));
        // It leads to the benchmarks once more, which are not followed
        assert!(below("benches/d/up/other/y"), "{found:?}");
        assert!(found.len() < 10, "{found:?}");
    }

    #[test]
    fn benchmark_files_replace_those_of_the_revision() {
        let top = tree(&[
            (
                "Cargo.toml",
                "[workspace]\nmembers = ['p']\n[workspace.dependencies]\nx = '2'\ny = '1'\n[profile.bench]\ninherits = 'own'\n[profile.own]\ninherits = 'release'\n",
            ),
            (
                "p/Cargo.toml",
                "[package]\nname = 'new'\n[lib]\nbench = false\n[dev-dependencies]\nx = { workspace = true }\n[[bench]]\nname = 'b'\nharness = false\n[[bench]]\nname = 'c'\npath = 'other/c.rs'\n",
            ),
            ("p/benches/b.rs", "new"),
            ("p/benches/data/x", "data"),
            ("p/other/c.rs", "c"),
        ]);
        let other = tree(&[
            (
                "Cargo.toml",
                "[workspace]\nmembers = ['p']\n[workspace.dependencies]\nx = '1'\n[profile.release]\nlto = true\n",
            ),
            (
                "p/Cargo.toml",
                "[package]\nname = 'old'\nautobenches = false\n[dependencies]\nd = '1'\n[dev-dependencies]\nz = '1'\n[target.'cfg(unix)'.dev-dependencies]\nu = '1'\n[[bench]]\nname = 'a'\n",
            ),
            ("p/src/lib.rs", ""),
            ("p/benches/a.rs", "old"),
        ]);
        let package = top.path().join("p");
        let trees = SourceTrees {
            package: &package,
            workspace: top.path(),
            top: top.path(),
            tree: other.path(),
        };
        assert_eq!(copy_benches(&trees).unwrap().len(), 3);
        let package = other.path().join("p");
        assert!(!package.join("benches/a.rs").exists());
        for (path, content) in
            [("benches/b.rs", "new"), ("benches/data/x", "data"), ("other/c.rs", "c")]
        {
            assert_eq!(fs::read_to_string(package.join(path)).unwrap(), content);
        }
        let manifest = read(&package.join("Cargo.toml")).unwrap();
        assert_eq!(manifest["package"]["name"].as_str(), Some("old"));
        assert_eq!(manifest["lib"]["bench"].as_bool(), Some(false));
        assert_eq!(manifest["dependencies"]["d"].as_str(), Some("1"));
        // Nothing needs those of the revision
        assert!(!manifest["dev-dependencies"].as_table().unwrap().contains_key("z"));
        assert!(manifest["target"]["cfg(unix)"].as_table().unwrap().is_empty());
        assert!(manifest["package"].get("autobenches").is_none());
        assert_eq!(manifest["dev-dependencies"]["x"]["workspace"].as_bool(), Some(true));
        assert_eq!(manifest["bench"].as_array().unwrap().len(), 2);
        let workspace = read(&other.path().join("Cargo.toml")).unwrap();
        let dependencies = &workspace["workspace"]["dependencies"];
        assert_eq!(dependencies["x"].as_str(), Some("1"), "those of the revision stay");
        assert_eq!(dependencies["y"].as_str(), Some("1"));
        let profiles = workspace["profile"].as_table().unwrap();
        assert_eq!(profiles["bench"]["inherits"].as_str(), Some("own"));
        assert_eq!(profiles["own"]["inherits"].as_str(), Some("release"));
        assert!(!profiles.contains_key("release"), "that of the revision is replaced");
    }

    #[test]
    fn a_library_that_is_a_benchmark_keeps_its_dependencies() {
        let mut theirs: Table = "[dev-dependencies]\nx = '1'\nz = '1'\n".parse().unwrap();
        let ours: Table = "[dev-dependencies]\nx = '2'\n".parse().unwrap();
        replace_dependencies(&mut theirs, &ours);
        let dependencies = theirs["dev-dependencies"].as_table().unwrap();
        assert_eq!(dependencies["x"].as_str(), Some("2"));
        assert_eq!(dependencies["z"].as_str(), Some("1"));
        // A package without a library gets none
        let ours: Table = "[lib]\nbench = false\n".parse().unwrap();
        replace_targets(&mut theirs, &ours, false);
        assert!(!theirs.contains_key("lib"));
    }

    #[test]
    fn the_hash_changes_with_each_benchmark_file() {
        let files = |content| {
            let files = [("Cargo.toml", ""), ("benches/b.rs", content), ("src/lib.rs", content)];
            tree(&files)
        };
        let hash = |content| {
            let directory = files(content);
            hash(directory.path(), directory.path()).unwrap()
        };
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
