//! Renames of which all or none happen, even if the run is killed.
//!
//! A journal of all renames is written into the staging directory before the first one. A later run that finds
//! a journal undoes the renames. No rename overwrites a file: a replaced file first moves into the staging
//! directory.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::{JOURNAL, journals};

/// A sequence of renames in an output directory.
#[derive(Debug)]
pub(crate) struct Transaction {
    journal: PathBuf,
    renames: Vec<(PathBuf, PathBuf)>,
}

impl Transaction {
    /// Creates an empty transaction. The journal is named after this file in the staging directory. All paths
    /// are in the output directory that contains the staging directory.
    pub(crate) fn new(file: &Path) -> Self {
        Self { journal: file.with_extension(JOURNAL), renames: Vec::new() }
    }

    /// Adds a rename to a path that does not exist at that point.
    pub(crate) fn rename(&mut self, from: PathBuf, to: PathBuf) {
        self.renames.push((from, to));
    }

    /// Adds the removal of a file, by a rename into the staging directory.
    pub(crate) fn remove(&mut self, path: PathBuf) {
        let aside = self.journal.with_extension(format!("before.{}", self.renames.len()));
        self.rename(path, aside);
    }

    /// Syncs a new file and adds its rename.
    pub(crate) fn place(&mut self, file: PathBuf, to: PathBuf) -> Result<()> {
        let sync = || File::open(&file)?.sync_all();
        sync().map_err(Error::io("write", &file))?;
        self.rename(file, to);
        Ok(())
    }

    /// Performs the renames and syncs the directories.
    pub(crate) fn commit(&self) -> Result<()> {
        let journal = &self.journal;
        self.write_journal().map_err(Error::io("write", journal))?;
        for (done, (from, to)) in self.renames.iter().enumerate() {
            if let Err(error) = rename(from, to) {
                self.undo(done)?;
                // If this fails, the next run finds nothing to undo
                let _ = self.remove_journal();
                return Err(Error::io("write", to)(error));
            }
        }
        self.remove_journal()?;
        let parents: BTreeSet<_> = self.renames.iter().filter_map(|(_, to)| to.parent()).collect();
        let staging = journal.parent();
        parents.into_iter().filter(|parent| Some(*parent) != staging).try_for_each(sync_directory)
    }

    /// Undoes the first renames.
    fn undo(&self, done: usize) -> Result<()> {
        for (from, to) in self.renames[..done].iter().rev() {
            rename(to, from).map_err(Error::io("restore", from))?;
        }
        Ok(())
    }

    fn remove_journal(&self) -> Result<()> {
        fs::remove_file(&self.journal).map_err(Error::io("remove", &self.journal))
    }

    /// Writes the journal in one step.
    fn write_journal(&self) -> io::Result<()> {
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

    fn read_journal(journal: PathBuf) -> io::Result<Self> {
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

    /// Counts the renames that were performed. The source of a rename exists until the rename, so the last
    /// one without a source was performed, as were all before it.
    fn count_done(&self) -> usize {
        let last = self.renames.iter().rposition(|(from, _)| from.symlink_metadata().is_err());
        last.map_or(0, |last| last + 1)
    }
}

/// Returns the output directory of a file in a staging directory.
fn root(file: &Path) -> &Path {
    file.ancestors().nth(2).unwrap_or(Path::new("/"))
}

/// Undoes the incomplete transactions in the staging directory of a killed run.
pub(super) fn recover(staging: &Path) -> Result<()> {
    for journal in journals(staging) {
        let transaction =
            Transaction::read_journal(journal.clone()).map_err(Error::io("read", &journal))?;
        let done = transaction.count_done();
        if done < transaction.renames.len() {
            transaction.undo(done)?;
        }
        transaction.remove_journal()?;
    }
    Ok(())
}

/// Renames a file. An existing target is an error.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Syncs a directory, where the file system supports it and the directory exists.
fn sync_directory(directory: &Path) -> Result<()> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    let ignored = [ErrorKind::InvalidInput, ErrorKind::NotFound, ErrorKind::Unsupported];
    match synced {
        Err(error) if ignored.contains(&error.kind()) => Ok(()),
        synced => synced.map_err(Error::io("write", directory)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::tree;
    use super::*;

    /// Returns an output directory and a transaction that replaces its results.
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
    fn all_renames_happen() {
        let (output, transaction) = prepared();
        transaction.commit().unwrap();
        let expected = [
            (".staging-x/0", "before"),
            ("a.old", "last"),
            ("a.out", "new"),
            ("b.old", "last"),
            ("c.out", "new"),
        ];
        assert_eq!(
            tree(output.path()),
            expected.map(|(path, content)| (path.into(), content.into()))
        );
    }

    #[test]
    fn the_renames_of_a_killed_run_are_undone_wherever_it_was() {
        let number = prepared().1.renames.len();
        for killed_after in 0..=number {
            let (output, transaction) = prepared();
            let before = tree(output.path());
            transaction.write_journal().unwrap();
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
    fn a_rename_that_fails_undoes_the_earlier_ones() {
        let (output, transaction) = prepared();
        // A directory in place of a file
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
