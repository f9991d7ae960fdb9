//! Copies of programs.
//!
//! All processes of a file share its pages in memory. Their physical addresses, and whether the kernel keeps them in large
//! pieces, change the time of code: two equal files differed by 0.4 % in each of 300 pairs of processes. So each round runs
//! other files.

use std::fs;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::process::TemporaryDirectory;
use crate::run::programs::link_programs;
use crate::run::sandbox::new_directory;

/// The copy of a program, which is another file whenever it is made.
#[derive(Debug)]
pub(super) struct ProgramCopy {
    directory: TemporaryDirectory,
    program: PathBuf,
}

impl ProgramCopy {
    /// Creates a directory for copies of this program.
    pub(super) fn new(program: PathBuf) -> Result<Self> {
        let directory = TemporaryDirectory::create(new_directory)?;
        Ok(Self { directory, program })
    }

    /// Copies the program to a new file. Returns the path, which is always the same.
    pub(super) fn make(&self) -> Result<PathBuf> {
        let name = self.program.file_name().unwrap_or_default();
        let path = self.directory.path().join(name);
        // Copied over, it would keep its pages
        let _ = fs::remove_file(&path);
        fs::copy(&self.program, &path).map_err(|error| {
            // The error does not say which of both files it is about
            let (action, file) = match self.program.metadata() {
                Ok(_) => ("write", &path),
                Err(_) => ("copy", &self.program),
            };
            Error::io(action, file)(error)
        })?;
        Ok(path)
    }

    /// Links the programs of the same directory, which it may start.
    pub(super) fn link_neighbours(&self) -> Result<()> {
        let Some(from) = self.program.parent() else { return Ok(()) };
        let linked = link_programs(from, self.directory.path());
        linked.map_err(Error::io("link the programs in", from))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn each_copy_is_another_file_at_the_same_path() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        fs::write(&program, "content").unwrap();
        let copy = ProgramCopy::new(program.clone()).unwrap();
        let path = copy.make().unwrap();
        // Its number is not free for another file
        let first = fs::File::open(&path).unwrap().metadata().unwrap();
        let held = fs::File::open(&path).unwrap();
        assert_eq!(copy.make().unwrap(), path);
        assert_eq!(fs::read(&path).unwrap(), b"content");
        assert_ne!(fs::metadata(&path).unwrap().ino(), first.ino());
        assert_ne!(fs::metadata(&path).unwrap().ino(), fs::metadata(&program).unwrap().ino());
        drop(held);
    }

    #[test]
    fn an_error_names_the_file_that_has_it() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("program");
        let copy = ProgramCopy::new(program.clone()).unwrap();
        let error = copy.make().unwrap_err().to_string();
        assert!(error.starts_with(&format!("can't copy {}: ", program.display())), "{error}");
        fs::write(&program, "content").unwrap();
        fs::remove_dir(copy.directory.path()).unwrap();
        let error = copy.make().unwrap_err().to_string();
        let path = copy.directory.path().join("program");
        assert!(error.starts_with(&format!("can't write {}: ", path.display())), "{error}");
    }
}
