//! The files in a directory with what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Returns the contents of all files below a directory by their paths in it, without the lock, which each run opens, and the list of
/// a benchmark file's benchmarks.
/// A missing directory has no files; the entry of an empty one is `name/`. A link has its target, which is not followed: a killed
/// run can leave one to a namespace of processes.
#[must_use]
pub fn tree(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(directory, "", &mut files);
    files
}

/// Extension of the file with the commit of a result, which exists in a checkout of a git repository only.
const COMMIT: &str = ".commit.json";

/// Returns the names of [`tree`] that a result has everywhere, without a repository too.
#[must_use]
pub fn names_of_results(directory: &Path) -> Vec<String> {
    tree(directory).into_keys().filter(|name| !name.ends_with(COMMIT)).collect()
}

/// Writes files by their paths below a directory, as [`tree`] returns them.
pub fn write_tree(directory: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (name, content) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory"))
            .expect("the directory can be created");
        fs::write(path, content).expect("the file can be written");
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.expect("the directory can be read").path();
        let name = path.file_name().expect("an entry has a name").to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_symlink() {
            let target = fs::read_link(&path).expect("the link can be read");
            files.insert(name, target.into_os_string().into_encoded_bytes());
        } else if path.is_dir() {
            let name = format!("{name}/");
            if fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_none()) {
                files.insert(name, Vec::new());
            } else {
                collect(&path, &name, files);
            }
        } else if !path.ends_with(".lock") && !path.ends_with(".benchmarks.json") {
            let content = fs::read(&path);
            let content = content.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            files.insert(name, content);
        }
    }
}

/// Demands that all files are there that were there before, with the same contents.
pub fn assert_unchanged(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) {
    let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let changed: Vec<_> =
        names.into_iter().filter(|name| before.get(*name) != after.get(*name)).collect();
    assert!(changed.is_empty(), "not as before: {changed:#?}");
}
