//! Directory with files for a test.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Directory that is removed at the end of the test.
pub(crate) struct TestDirectory(PathBuf);

impl TestDirectory {
    /// Creates a directory with these files.
    pub(crate) fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let id = std::process::id();
        let root = env::temp_dir().join(format!("iai-callgrind-macros-{name}-{id}"));
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self(root)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}
