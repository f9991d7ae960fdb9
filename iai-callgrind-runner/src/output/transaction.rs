//! Renames that happen all or not at all, also when the run is killed among them.
//!
//! Before the first one, a journal with all of them is written into the staging directory. A run that finds
//! one takes back what was done. No rename overwrites a file: what is to go is renamed into the staging
//! directory first.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::files::optional;
use crate::error::{Error, Result};
use crate::process::{JOURNAL, journals};

/// Renames in an output directory, one after the other.
#[derive(Debug)]
pub(crate) struct Transaction {
    journal: PathBuf,
    renames: Vec<(PathBuf, PathBuf)>,
}

impl Transaction {
    /// No renames yet. The journal is called like this file in the staging directory, which is in the
    /// output directory that all of the paths are in.
    pub(crate) fn new(file: &Path) -> Self {
        Self { journal: file.with_extension(JOURNAL), renames: Vec::new() }
    }

    /// Moves a file to a name that nothing has then.
    pub(crate) fn rename(&mut self, from: PathBuf, to: PathBuf) {
        self.renames.push((from, to));
    }

    /// Moves a file that is to go into the staging directory.
    pub(crate) fn put_aside(&mut self, path: PathBuf) {
        let aside = self.journal.with_extension(format!("before.{}", self.renames.len()));
        self.rename(path, aside);
    }

    /// Has what was written to a new file reach the disk, and moves it into its place.
    pub(crate) fn place(&mut self, file: PathBuf, to: PathBuf) -> Result<()> {
        let sync = || File::open(&file)?.sync_all();
        sync().map_err(Error::io("write", &file))?;
        self.rename(file, to);
        Ok(())
    }

    /// Does them all, and has them reach the disk.
    pub(crate) fn commit(&self) -> Result<()> {
        let journal = &self.journal;
        self.write().map_err(Error::io("write", journal))?;
        for (done, (from, to)) in self.renames.iter().enumerate() {
            if let Err(error) = rename(from, to) {
                self.take_back(done)?;
                // If that fails, the next run finds that there is nothing to take back
                let _ = self.forget();
                return Err(Error::io("write", to)(error));
            }
        }
        self.forget()?;
        let parents: BTreeSet<_> = self.renames.iter().filter_map(|(_, to)| to.parent()).collect();
        let staging = journal.parent();
        parents.into_iter().filter(|it| Some(*it) != staging).try_for_each(sync_directory)
    }

    /// Takes back as many of the renames.
    fn take_back(&self, done: usize) -> Result<()> {
        for (from, to) in self.renames[..done].iter().rev() {
            rename(to, from).map_err(Error::io("restore", from))?;
        }
        Ok(())
    }

    /// Removes the journal.
    fn forget(&self) -> Result<()> {
        fs::remove_file(&self.journal).map_err(Error::io("remove", &self.journal))
    }

    /// Writes the journal in one piece.
    fn write(&self) -> io::Result<()> {
        let root = root(&self.journal);
        let mut content = Vec::new();
        for path in self.renames.iter().flat_map(|(from, to)| [from, to]) {
            let path = path.strip_prefix(root).map_err(io::Error::other)?;
            content.extend(path.as_os_str().as_bytes());
            content.push(0);
        }
        let unfinished = self.journal.with_extension("unfinished");
        let mut file = File::create(&unfinished)?;
        file.write_all(&content)?;
        file.sync_all()?;
        fs::rename(unfinished, &self.journal)
    }

    fn read(journal: PathBuf) -> io::Result<Self> {
        let root = root(&journal);
        let content = fs::read(&journal)?;
        let paths: Vec<_> = content
            .strip_suffix(b"\0")
            .into_iter()
            .flat_map(|content| content.split(|byte| *byte == 0))
            .map(|path| root.join(Path::new(std::ffi::OsStr::from_bytes(path))))
            .collect();
        let renames =
            paths.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        Ok(Self { journal, renames })
    }

    /// How many of the renames were done. Before a rename there is always the file that it is about, so the
    /// last one that lacks it was done, and with it all before.
    fn done(&self) -> usize {
        let last = self.renames.iter().rposition(|(from, _)| from.symlink_metadata().is_err());
        last.map_or(0, |last| last + 1)
    }
}

/// The output directory of a file in its staging directory.
fn root(file: &Path) -> &Path {
    file.ancestors().nth(2).unwrap_or(Path::new("/"))
}

/// Takes back what a killed run had begun and not finished, whose staging directory this is.
pub(super) fn recover(staging: &Path) -> Result<()> {
    for journal in journals(staging) {
        let transaction =
            Transaction::read(journal.clone()).map_err(Error::io("read", &journal))?;
        let done = transaction.done();
        if done < transaction.renames.len() {
            transaction.take_back(done)?;
        }
        transaction.forget()?;
    }
    Ok(())
}

/// Renames a file, unless there is something with its new name.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Has the names in this directory reach the disk, where the file system can do that.
fn sync_directory(directory: &Path) -> Result<()> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    let ignored = [ErrorKind::InvalidInput, ErrorKind::Unsupported];
    match synced {
        Err(error) if ignored.contains(&error.kind()) => Ok(()),
        synced => optional(synced).map_err(Error::io("write", directory)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::tree;

    /// An output directory whose results are to be replaced, and the renames that do it.
    fn prepared() -> (tempfile::TempDir, Transaction) {
        let output = tempfile::tempdir().unwrap();
        let staging = output.path().join(".staging-x");
        fs::create_dir(&staging).unwrap();
        for (path, content) in [
            ("a.out", "last"),
            ("b.out", "last"),
            ("a.old", "before"),
            (".staging-x/a", "new"),
            (".staging-x/c", "new"),
        ] {
            fs::write(output.path().join(path), content).unwrap();
        }
        let mut transaction = Transaction::new(&staging.join("1.logs"));
        for (from, to) in [
            ("a.old", ".staging-x/0"),
            ("a.out", "a.old"),
            ("b.out", "b.old"),
            (".staging-x/a", "a.out"),
            (".staging-x/c", "c.out"),
        ] {
            transaction.rename(output.path().join(from), output.path().join(to));
        }
        (output, transaction)
    }

    #[test]
    fn all_of_them_happen() {
        let (output, transaction) = prepared();
        transaction.commit().unwrap();
        let expected = [
            (".staging-x/0", "before"),
            ("a.old", "last"),
            ("a.out", "new"),
            ("b.old", "last"),
            ("c.out", "new"),
        ];
        assert_eq!(tree(output.path()), expected.map(|(path, it)| (path.into(), it.into())));
    }

    #[test]
    fn those_of_a_killed_run_are_taken_back_wherever_it_was() {
        let number = prepared().1.renames.len();
        for killed_after in 0..=number {
            let (output, transaction) = prepared();
            let before = tree(output.path());
            transaction.write().unwrap();
            for (from, to) in &transaction.renames[..killed_after] {
                fs::rename(from, to).unwrap();
            }
            let after = tree(output.path());
            recover(transaction.journal.parent().unwrap()).unwrap();
            let recovered = tree(output.path());
            if killed_after < number {
                assert_eq!(recovered, before, "{killed_after}");
            } else {
                assert_eq!(recovered.len() + 1, after.len(), "only the journal is gone");
            }
        }
    }

    #[test]
    fn if_one_fails_those_before_are_taken_back() {
        let (output, transaction) = prepared();
        // Where a file is to go there is a directory
        fs::create_dir(output.path().join("c.out")).unwrap();
        fs::write(output.path().join("c.out/x"), "").unwrap();
        let before = tree(output.path());
        assert!(transaction.commit().is_err());
        assert_eq!(tree(output.path()), before);
    }

    #[test]
    fn a_journal_that_never_reached_the_disk_changes_nothing() {
        let (output, Transaction { journal, .. }) = prepared();
        fs::write(&journal, "").unwrap();
        let mut before = tree(output.path());
        recover(journal.parent().unwrap()).unwrap();
        before.retain(|(path, _)| !path.ends_with(JOURNAL));
        assert_eq!(tree(output.path()), before);
    }
}
