//! Directory trees for the tests of this module.

use std::fs;
use std::path::Path;

/// Returns all files below a directory with their content, sorted by path.
pub(super) fn tree(directory: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() {
            let below = tree(&path).into_iter();
            files.extend(below.map(|(path, content)| (format!("{name}/{path}"), content)));
        } else {
            files.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    files.sort();
    files
}
