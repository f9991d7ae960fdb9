//! Renames of which all or none happen, even if the run is killed.
//!
//! A journal of all renames is written into the staging directory before the first one. A later run
//! that finds a journal undoes the renames. The journal is on the disk before the first rename, and
//! the renames are on the disk before it is removed. No rename overwrites a file: a replaced file
//! first moves into the staging directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use iai_callgrind_process::{JOURNAL, journals};
use iai_callgrind_profile::files;

use super::error::{JournalError, OutputError};
use super::file_system::exists;
use super::journal::{check_journal, check_renames, check_size, output_directory, read_renames};
use crate::{Error, Result};

/// Permissions of a journal: no other user can change what the next run undoes.
const PRIVATE: u32 = 0o600;

/// A sequence of renames in an output directory.
#[derive(Debug)]
pub struct Transaction {
    journal: PathBuf,
    renames: Vec<(PathBuf, PathBuf)>,
}

impl Transaction {
    /// Creates an empty transaction. The journal is named after this file in the staging directory. All paths
    /// are in the output directory that contains the staging directory.
    pub fn new(file: &Path) -> Self {
        Self { journal: file.with_extension(JOURNAL), renames: Vec::new() }
    }

    /// Adds a rename to a path that does not exist at that point.
    pub fn rename(&mut self, from: PathBuf, to: PathBuf) {
        self.renames.push((from, to));
    }

    /// Adds the removal of a file, by a rename into the staging directory.
    pub fn remove(&mut self, path: PathBuf) {
        let aside = self.journal.with_extension(format!("before.{}", self.renames.len()));
        self.rename(path, aside);
    }

    /// Syncs a new file and adds its rename. A benchmark can have created it, not necessarily as a
    /// regular file.
    pub fn place(&mut self, file: PathBuf, to: PathBuf) -> Result<()> {
        let sync = || files::open(&file)?.sync_all();
        sync().map_err(Error::io("write", &file))?;
        self.rename(file, to);
        Ok(())
    }

    /// Performs the renames.
    pub fn commit(&self) -> Result<()> {
        if self.renames.is_empty() {
            return Ok(());
        }
        let journal = &self.journal;
        check_renames(journal, &self.renames).map_err(|source| {
            let directory = output_directory(journal).to_owned();
            OutputError::Unreplaceable { directory, source }
        })?;
        self.write_journal().map_err(Error::io("write", journal))?;
        journal.parent().into_iter().try_for_each(sync_directory)?;
        for (done, (from, to)) in self.renames.iter().enumerate() {
            if let Err(error) = rename(from, to) {
                self.undo(done)?;
                // If this fails, the next run finds nothing to undo
                let _ = self.remove_journal();
                return Err(Error::io("write", to)(error));
            }
        }
        self.sync_renames(self.renames.len())?;
        self.remove_journal()
    }

    /// Undoes the first renames.
    fn undo(&self, done: usize) -> Result<()> {
        for (from, to) in self.renames[..done].iter().rev() {
            rename(to, from).map_err(Error::io("restore", from))?;
        }
        self.sync_renames(done)
    }

    /// Syncs the directories of the first renames. The disk has a rename in both of its directories
    /// or in none, so the staging directory is left out.
    fn sync_renames(&self, done: usize) -> Result<()> {
        let paths = self.renames[..done].iter().flat_map(|(from, to)| [from, to]);
        let directories: BTreeSet<_> = paths.filter_map(|path| path.parent()).collect();
        let staging = self.journal.parent();
        let is_kept = |path: &&Path| staging.is_none_or(|staging| !path.starts_with(staging));
        directories.into_iter().filter(is_kept).try_for_each(sync_directory)
    }

    fn remove_journal(&self) -> Result<()> {
        #[cfg(test)]
        tests::note(&format!("remove {}", tests::name(&self.journal)));
        fs::remove_file(&self.journal).map_err(Error::io("remove", &self.journal))
    }

    /// Writes the journal in one step.
    fn write_journal(&self) -> io::Result<()> {
        let root = output_directory(&self.journal);
        let mut content = Vec::new();
        for path in self.renames.iter().flat_map(|(from, to)| [from, to]) {
            let path = path.strip_prefix(root).map_err(io::Error::other)?;
            content.extend(path.as_os_str().as_bytes());
            content.push(0);
        }
        check_size(&content).map_err(io::Error::other)?;
        let unfinished = self.journal.with_extension("unfinished");
        let mut options = File::options();
        let mut file = options.write(true).create_new(true).mode(PRIVATE).open(&unfinished)?;
        file.write_all(&content)?;
        file.sync_all()?;
        fs::rename(unfinished, &self.journal)
    }

    /// Reads and checks the journal of a killed run.
    fn read_journal(journal: PathBuf) -> Result<Self, JournalError> {
        check_journal(&journal)?;
        let renames = read_renames(&journal)?;
        check_renames(&journal, &renames)?;
        let transaction = Self { journal, renames };
        transaction.check_undo()?;
        Ok(transaction)
    }

    /// Counts the renames that were performed. The source of a rename exists until the rename, so
    /// the last one without a source and all before it were performed.
    fn count_done(&self) -> usize {
        let last = self.renames.iter().rposition(|(from, _)| !exists(from));
        last.map_or(0, |last| last + 1)
    }

    /// Returns `true` if some of the renames were performed and others were not.
    fn is_half_done(&self) -> bool {
        (1..self.renames.len()).contains(&self.count_done())
    }

    /// Returns an error unless the performed renames can be undone: a partial undo would lose which
    /// ones were performed.
    fn check_undo(&self) -> Result<(), JournalError> {
        if !self.is_half_done() {
            return Ok(());
        }
        // State of the files after the later renames were undone
        let mut moved = BTreeMap::new();
        for (from, to) in self.renames[..self.count_done()].iter().rev() {
            for (path, is_expected) in [(to, true), (from, false)] {
                let is_there = moved.get(path).copied().unwrap_or_else(|| exists(path));
                if is_there != is_expected {
                    return Err(JournalError::State { path: path.clone() });
                }
            }
            moved.extend([(to, false), (from, true)]);
        }
        Ok(())
    }
}

/// Undoes the incomplete transactions in the staging directory of a killed run.
pub(super) fn recover(staging: &Path) -> Result<()> {
    for journal in journals(staging) {
        let transaction = Transaction::read_journal(journal.clone())
            .map_err(|source| OutputError::ForeignJournal { journal, source })?;
        if transaction.is_half_done() {
            transaction.undo(transaction.count_done())?;
        }
        transaction.remove_journal()?;
    }
    Ok(())
}

/// Checks a journal as [`recover`] does, without changes. Returns `true` if the next run has
/// renames to undo.
pub(super) fn awaits_recovery(journal: &Path) -> Result<bool, JournalError> {
    Transaction::read_journal(journal.to_owned()).map(|transaction| transaction.is_half_done())
}

/// Renames a file. An existing target is an error.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if exists(to) {
        return Err(ErrorKind::AlreadyExists.into());
    }
    #[cfg(test)]
    tests::note(&format!("rename to {}", tests::name(to)));
    fs::rename(from, to)
}

/// Syncs a directory, where the file system supports it and the directory exists.
pub(super) fn sync_directory(directory: &Path) -> Result<()> {
    #[cfg(test)]
    tests::note(&format!("sync {}", tests::name(directory)));
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    let ignored = [ErrorKind::InvalidInput, ErrorKind::NotFound, ErrorKind::Unsupported];
    match synced {
        Err(error) if ignored.contains(&error.kind()) => Ok(()),
        synced => synced.map_err(Error::io("write", directory)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::iter;

    use super::super::test_trees::tree;
    use super::*;

    thread_local! {
        /// The changes of directories so far.
        static STEPS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    /// Notes a change of a directory.
    pub(super) fn note(step: &str) {
        STEPS.with_borrow_mut(|steps| steps.push(step.to_owned()));
    }

    pub(super) fn name(path: &Path) -> String {
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    #[test]
    fn the_journal_is_on_the_disk_before_the_renames_and_they_are_before_it_goes() {
        let (output, transaction) = prepared();
        transaction.commit().unwrap();
        let steps = STEPS.take();
        let renamed = transaction.renames.iter().map(|(_, to)| format!("rename to {}", name(to)));
        let synced = |directory: &str| iter::once(format!("sync {directory}"));
        let after = synced(&name(output.path())).chain(["remove 1.journal".to_owned()]);
        assert_eq!(steps, synced(".staging-x").chain(renamed).chain(after).collect::<Vec<_>>());
    }

    /// Returns an output directory and a transaction that replaces its results.
    fn prepared() -> (tempfile::TempDir, Transaction) {
        let output = tempfile::tempdir().unwrap();
        let staging = output.path().join(".staging-x");
        fs::create_dir(&staging).unwrap();
        for (path, content) in [
            ("callgrind.a.out", "last"),
            ("callgrind.b.out", "last"),
            ("callgrind.a.old.out", "before"),
            (".staging-x/a", "new"),
            (".staging-x/c", "new"),
        ] {
            fs::write(output.path().join(path), content).unwrap();
        }
        let mut transaction = Transaction::new(&staging.join("1.logs"));
        for (from, to) in [
            ("callgrind.a.old.out", ".staging-x/0"),
            ("callgrind.a.out", "callgrind.a.old.out"),
            ("callgrind.b.out", "callgrind.b.old.out"),
            (".staging-x/a", "callgrind.a.out"),
            (".staging-x/c", "callgrind.c.out"),
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
            ("callgrind.a.old.out", "last"),
            ("callgrind.a.out", "new"),
            ("callgrind.b.old.out", "last"),
            ("callgrind.c.out", "new"),
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
        // Nothing is overwritten
        fs::write(output.path().join("callgrind.c.out"), "other").unwrap();
        let before = tree(output.path());
        assert!(transaction.commit().is_err());
        assert_eq!(tree(output.path()), before);
    }

    #[test]
    fn a_foreign_journal_changes_nothing() {
        let (output, Transaction { journal, .. }) = prepared();
        let root = output.path();
        fs::create_dir(root.join("home")).unwrap();
        let staging = root.join("home/.staging-y");
        fs::create_dir(&staging).unwrap();
        fs::write(staging.join("payload"), "hostile").unwrap();
        let key = root.join("callgrind.a.out").display().to_string();
        for renames in [
            // The first part of the renames was done: the payload replaces `from`
            format!(
                "{root}/new\0.staging-y/payload\0.staging-y/none\0callgrind.x\0",
                root = root.display()
            ),
            format!("callgrind.moved\0{key}\0.staging-y/none\0callgrind.x\0"),
            "../new\0.staging-y/payload\0.staging-y/none\0callgrind.x\0".to_owned(),
        ] {
            fs::write(staging.join("import.journal"), renames).unwrap();
            let before = tree(root);
            let error = recover(&staging).unwrap_err().to_string();
            assert!(error.starts_with("can't undo the renames of a killed run: "), "{error}");
            assert!(error.contains("import.journal") && error.contains("\nhelp: "), "{error}");
            assert_eq!(tree(root), before);
        }
        drop(journal);
    }

    #[test]
    fn a_state_that_no_killed_run_leaves_is_not_touched() {
        // The file to restore is missing, or another one has replaced it
        for (removed, written) in [(".staging-x/0", None), ("p", Some("callgrind.b.out"))] {
            let (output, transaction) = prepared();
            transaction.write_journal().unwrap();
            for (from, to) in &transaction.renames[..4] {
                fs::rename(from, to).unwrap();
            }
            let _ = fs::remove_file(output.path().join(removed));
            if let Some(path) = written {
                fs::write(output.path().join(path), "other").unwrap();
            }
            let before = tree(output.path());
            let state = awaits_recovery(&transaction.journal);
            assert!(matches!(state, Err(JournalError::State { .. })), "{state:?}");
            recover(transaction.journal.parent().unwrap()).unwrap_err();
            assert_eq!(tree(output.path()), before);
        }
    }

    #[test]
    fn readers_know_what_the_next_run_does() {
        let number = prepared().1.renames.len();
        for killed_after in 0..=number {
            let (output, transaction) = prepared();
            transaction.write_journal().unwrap();
            for (from, to) in &transaction.renames[..killed_after] {
                fs::rename(from, to).unwrap();
            }
            let before = tree(output.path());
            let has_renames = (1..number).contains(&killed_after);
            assert_eq!(awaits_recovery(&transaction.journal).unwrap(), has_renames);
            assert_eq!(tree(output.path()), before);
        }
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
