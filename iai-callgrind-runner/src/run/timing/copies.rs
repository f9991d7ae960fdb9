//! Copies of programs.
//!
//! All processes of a file share its pages in memory. Their physical addresses, and whether the kernel keeps them in large
//! pieces, change the time of code: two equal files differed by 0.4 % in each of 300 pairs of processes. So each round runs
//! other files.

use std::fs;
use std::path::{Path, PathBuf};

use iai_callgrind_launch::new_directory;
use iai_callgrind_process::TemporaryDirectory;

use crate::error::{Error, Result};
use crate::run::programs::link_programs;

/// The copy of a program, which is another file in each round.
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

    /// Creates a copy with links to the programs of the same directory, which it may start.
    pub(super) fn with_neighbours(program: PathBuf) -> Result<Self> {
        let copy = Self::new(program)?;
        if let Some(from) = copy.program.parent() {
            let linked = link_programs(from, copy.directory.path());
            linked.map_err(Error::io("link the programs in", from))?;
        }
        Ok(copy)
    }

    /// Returns the path of the copy, which is the same in each round.
    pub(super) fn path(&self) -> PathBuf {
        self.directory.path().join(self.program.file_name().unwrap_or_default())
    }

    /// Makes the copies of all sides. A new file gets the memory of the file that was removed last.
    /// So all files are removed before the first one is made, in random order, and no side keeps
    /// its memory from round to round.
    pub(super) fn renew<'a>(copies: impl Iterator<Item = &'a Self>) -> Result<()> {
        let mut copies: Vec<_> = copies.collect();
        // Copied over, they would keep their pages
        for copy in &copies {
            let _ = fs::remove_file(copy.path());
        }
        fastrand::shuffle(&mut copies);
        copies.into_iter().try_for_each(Self::make)
    }

    fn make(&self) -> Result<()> {
        copy_program(&self.program, &self.path())
    }
}

/// Copies a program. The error names the file, or the directory that was removed.
pub(super) fn copy_program(program: &Path, to: &Path) -> Result<()> {
    let copied = fs::copy(program, to).map_err(|error| {
        if program.exists() {
            return Error::io("write", to)(error);
        }
        let cause = Error::io("copy", program)(error);
        match program.parent() {
            Some(path) if !path.is_dir() => {
                Error::DirectoryRemoved { path: path.to_owned(), cause: Box::new(cause) }
            }
            _ => cause,
        }
    });
    copied.map(drop)
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
        let copies = [(); 2].map(|()| ProgramCopy::new(program.clone()).unwrap());
        ProgramCopy::renew(copies.iter()).unwrap();
        // Their numbers are not free for other files
        let held = copies.each_ref().map(|copy| fs::File::open(copy.path()).unwrap());
        ProgramCopy::renew(copies.iter()).unwrap();
        let number = |path: &Path| fs::metadata(path).unwrap().ino();
        for (copy, held) in copies.iter().zip(&held) {
            assert_eq!(fs::read(copy.path()).unwrap(), b"content");
            assert_ne!(number(&copy.path()), held.metadata().unwrap().ino());
            assert_ne!(number(&copy.path()), number(&program));
        }
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
        assert!(error.starts_with(&format!("can't write {}: ", copy.path().display())), "{error}");
        drop(directory);
        let error = copy.make().unwrap_err().to_string();
        assert!(error.contains(" was removed while the benchmark ran\ncan't copy "), "{error}");
    }
}
