//! Kills process groups and removes directories, in the runner and in the guardian.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

#[cfg(target_os = "linux")]
use super::leader::Handle;
#[cfg(target_os = "linux")]
use super::orphans::{kill, processes};
#[cfg(target_os = "linux")]
use rustix::process::Pid;

/// Prefix of staging directories. Other names in an output directory start with a letter, because groups are
/// named by identifiers.
pub const STAGING: &str = ".staging-";

/// Extension of the journals of renames in a staging directory.
pub const JOURNAL: &str = "journal";

/// Interval and number of attempts to remove a directory, which fails while killed processes still write to it.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
const TRIES: usize = 50;

/// Kills the processes that Valgrind runs with logs in one of these directories, even in other groups.
pub(super) fn kill_users(directories: &[PathBuf]) {
    #[cfg(target_os = "linux")]
    {
        let arguments = directories.iter().map(|directory| {
            [b"--log-file=", directory.as_os_str().as_encoded_bytes(), b"/"].concat()
        });
        let arguments: Vec<_> = arguments.collect();
        for process in processes() {
            // Before its command is read: the id can be that of another process afterwards
            let handle = Pid::from_raw(process).and_then(|id| Handle::open(id).ok());
            let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let mut words = command.split(|byte| *byte == 0);
            if words.any(|word| arguments.iter().any(|argument| word.starts_with(argument))) {
                match handle {
                    Some(handle) => handle.kill(),
                    None => kill(process),
                }
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = directories;
}

/// Removes a directory that killed processes may still use. A directory with an incomplete transaction stays
/// for the next run, which undoes it.
pub(super) fn remove_directory(directory: &Path) {
    if is_staging(directory) && journals(directory).next().is_some() {
        return;
    }
    for _ in 0..TRIES {
        if remove_all(directory).is_ok() || !directory.exists() {
            return;
        }
        thread::sleep(RETRY_INTERVAL);
    }
}

/// Returns `true` if this is the path of a staging directory.
pub fn is_staging(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(STAGING.as_bytes()))
}

/// Lists the journals in a staging directory.
pub fn journals(staging: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(staging).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == JOURNAL))
}

/// Removes a directory with its content, even if permissions are missing.
fn remove_all(directory: &Path) -> io::Result<()> {
    fs::remove_dir_all(directory).or_else(|_| {
        make_accessible(directory);
        fs::remove_dir_all(directory)
    })
}

/// Gives this user all permissions of a directory and of those in it. A link is not followed,
/// because a benchmark can replace a directory by one.
fn make_accessible(directory: &Path) {
    if !directory.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_accessible(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_the_place_of_a_directory_is_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let (precious, link) = (parent.path().join("precious"), parent.path().join("link"));
        fs::create_dir_all(precious.join("inner")).unwrap();
        fs::set_permissions(&precious, Permissions::from_mode(0o555)).unwrap();
        symlink(&precious, &link).unwrap();
        make_accessible(&link);
        remove_directory(&link);
        assert_eq!(precious.metadata().unwrap().permissions().mode() & 0o777, 0o555);
        assert!(precious.join("inner").is_dir() && !link.is_symlink());
    }

    #[test]
    fn only_a_staging_directory_with_a_journal_stays() {
        let parent = tempfile::tempdir().unwrap();
        for (name, file, stays) in [
            (".staging-a", "1.journal", true),
            (".staging-b", "1.out", false),
            // `SQLite`, for example, writes such files
            ("sandbox", "database.journal", false),
        ] {
            let directory = parent.path().join(name);
            fs::create_dir(&directory).unwrap();
            fs::write(directory.join(file), "").unwrap();
            remove_directory(&directory);
            assert_eq!(directory.exists(), stays, "{name}");
        }
    }
}
