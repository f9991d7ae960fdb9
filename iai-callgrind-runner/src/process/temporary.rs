//! Directories that do not outlive the run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::interruption::under_way;
use crate::error::Result;

/// The prefix of staging directories. Nothing else in an output directory starts with a dot, because
/// groups are named by identifiers.
pub(crate) const STAGING: &str = ".staging-";

/// The extension of journals, which list the renames that a run has started in a staging directory.
pub(crate) const JOURNAL: &str = "journal";

/// How long to wait for processes that were killed, before their directory is tried again, and how often.
const DEATH: Duration = Duration::from_millis(20);
const TRIES: usize = 50;

/// A directory that goes with its contents when this goes.
#[derive(Debug)]
pub(crate) struct TemporaryDirectory {
    path: PathBuf,
    is_kept: bool,
}

impl TemporaryDirectory {
    /// The directory that `create` makes.
    pub(crate) fn create(create: impl FnOnce() -> Result<PathBuf>) -> Result<Self> {
        let mut under_way = under_way();
        under_way.check()?;
        let path = create()?;
        under_way.add_directory(&path);
        Ok(Self { path, is_kept: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Has the directory stay.
    pub(crate) fn keep(&mut self) {
        under_way().remove_directory(&self.path);
        self.is_kept = true;
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(&self.path);
            under_way().remove_directory(&self.path);
        }
    }
}

/// Removes a directory in which processes may still be dying, as far as that is possible. What the next run
/// has to take back stays.
pub(super) fn remove(directory: &Path) {
    if is_unfinished(directory) {
        return;
    }
    for _ in 0..TRIES {
        if remove_all(directory).is_ok() || !directory.exists() {
            return;
        }
        thread::sleep(DEATH);
    }
}

/// Returns whether this is a staging directory with renames that were neither finished nor taken back.
fn is_unfinished(directory: &Path) -> bool {
    is_staging(directory) && journals(directory).next().is_some()
}

/// Returns whether the name of this path is that of a staging directory.
pub(crate) fn is_staging(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(STAGING.as_bytes()))
}

/// Lists the journals in this staging directory.
pub(crate) fn journals(staging: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(staging).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == JOURNAL))
}

/// Removes a directory with all that is in it, also where permissions were taken away.
fn remove_all(directory: &Path) -> io::Result<()> {
    fs::remove_dir_all(directory).or_else(|_| {
        make_accessible(directory);
        fs::remove_dir_all(directory)
    })
}

fn make_accessible(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_accessible(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_staging_directory_with_a_journal_stays() {
        let parent = tempfile::tempdir().unwrap();
        for (name, file, stays) in [
            (".staging-a", "1.journal", true),
            (".staging-b", "1.out", false),
            // Such as one of `SQLite`'s
            ("sandbox", "database.journal", false),
        ] {
            let directory = parent.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join(file), "").unwrap();
            remove(&directory);
            assert_eq!(directory.exists(), stays, "{name}");
        }
    }
}
