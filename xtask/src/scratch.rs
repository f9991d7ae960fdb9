//! The directory for temporary files of tests, in memory where there is enough.
//!
//! The tests create and delete thousands of files. ext4 does not use an inode again that was deleted a moment ago, and
//! searches for others: that was a fifth of the CPU time of the stored cases.

use std::env;
use std::path::Path;
use std::process::Command;

use rustix::fs::{StatVfsMountFlags, statvfs};
use tempfile::TempDir;

/// Variable with the directory for temporary files.
const VARIABLE: &str = "TMPDIR";

/// The file system in memory that Linux systems have.
const MEMORY: &str = "/dev/shm";

/// Free bytes that it must have, several times what the tests need at once.
const NEEDED: u64 = 4 << 30;

/// Gives a command a directory in memory for temporary files, which exists as long as the returned value. Returns
/// `None` if the user has chosen another one, or if programs of tests could not run there.
#[must_use]
pub fn in_memory(command: &mut Command) -> Option<TempDir> {
    let memory = Path::new(MEMORY);
    if env::var_os(VARIABLE).is_some() || !is_usable(memory) {
        return None;
    }
    let directory = tempfile::Builder::new().prefix("iai-callgrind-").tempdir_in(memory).ok()?;
    command.env(VARIABLE, directory.path());
    Some(directory)
}

/// Returns true if the file system has enough space and allows the execution of programs.
fn is_usable(directory: &Path) -> bool {
    statvfs(directory).is_ok_and(|system| {
        !system.f_flag.contains(StatVfsMountFlags::NOEXEC)
            && system.f_bavail.saturating_mul(system.f_frsize) >= NEEDED
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_must_be_able_to_run_there() {
        assert!(!is_usable(Path::new("/missing")));
        // Mounted with `noexec` and without space
        assert!(!is_usable(Path::new("/proc")));
    }

    #[test]
    fn the_directory_exists_as_long_as_the_command_runs() {
        let mut command = Command::new("true");
        let Some(directory) = in_memory(&mut command) else { return };
        let path = directory.path().to_owned();
        let is_set = command.get_envs().any(|(name, value)| {
            name == VARIABLE && value == Some(path.as_os_str()) && path.is_dir()
        });
        assert!(is_set);
        drop(directory);
        assert!(!path.exists());
    }
}
