//! Checks the owner of a file or a directory before the runner trusts or changes it.
//!
//! The checks apply to the current files. A user who can write to a directory of results while a
//! run uses it can replace what was checked.

use std::ffi::CStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::Result;
use crate::error::OutputError;

/// Id of the superuser.
const ROOT: u32 = 0;

/// Size of the buffer for an entry of the user database.
const ENTRY: usize = 1 << 14;

/// Returns an error if results must not be written to a directory or to a file in `home`, because
/// it belongs to another user or only its owner may change it. A missing path is not checked.
pub(crate) fn check_owner(path: &Path, home: &Path) -> Result<()> {
    let Ok(metadata) = path.metadata() else { return Ok(()) };
    if is_trusted(&metadata) && (is_own(&metadata) || is_writable(path)) {
        return Ok(());
    }
    Err(OutputError::ForeignDirectory {
        path: path.to_owned(),
        owner: name(metadata.uid()),
        home: home.to_owned(),
        user: name(user()),
    }
    .into())
}

/// Returns `true` if a file belongs to this user or to the superuser, who can change all files
/// anyway. The superuser trusts all owners: in a container, the mounted project belongs to another
/// user.
pub(crate) fn is_trusted(metadata: &Metadata) -> bool {
    trusts(user(), metadata.uid())
}

fn trusts(user: u32, owner: u32) -> bool {
    [user, ROOT].contains(&owner) || user == ROOT
}

/// Returns `true` if a file is this user's.
pub fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == user()
}

/// Returns the effective user.
fn user() -> u32 {
    geteuid().as_raw()
}

/// Returns `true` if the permissions allow this user to write to a file or to create files in a directory.
fn is_writable(path: &Path) -> bool {
    // A read-only file system has nothing to do with the owner
    accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS) != Err(Errno::ACCESS)
}

/// Returns the name of the owner of a file.
pub(crate) fn owner(metadata: &Metadata) -> String {
    name(metadata.uid())
}

/// Returns the name of a user, or its number if the system does not know it.
fn name(id: u32) -> String {
    let mut buffer = vec![0; ENTRY];
    let mut found = std::ptr::null_mut();
    // SAFETY: the entry, for which zeros are valid, and its texts are in buffers that live until the end.
    unsafe {
        let mut entry: libc::passwd = std::mem::zeroed();
        libc::getpwuid_r(id, &raw mut entry, buffer.as_mut_ptr(), buffer.len(), &raw mut found);
        if found.is_null() {
            return id.to_string();
        }
        CStr::from_ptr(entry.pw_name).to_string_lossy().into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::chown;

    use super::*;

    #[test]
    fn another_user_is_trusted_by_the_superuser_only() {
        const ALICE: u32 = 1000;
        const BOB: u32 = 1001;
        assert!(trusts(ALICE, ALICE) && trusts(ALICE, ROOT));
        assert!(trusts(ROOT, ALICE) && trusts(ROOT, ROOT));
        assert!(!trusts(ALICE, BOB));
    }

    #[test]
    fn own_directories_and_missing_ones_are_accepted() {
        let home = tempfile::tempdir().unwrap();
        check_owner(home.path(), home.path()).unwrap();
        check_owner(&home.path().join("missing"), home.path()).unwrap();
    }

    #[test]
    fn users_have_a_name_or_a_number() {
        assert_eq!(name(ROOT), "root");
        assert_eq!(name(3_999_999_999), "3999999999");
    }

    #[test]
    fn the_superuser_works_in_the_directory_of_another_user() {
        if user() != ROOT {
            return;
        }
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("theirs");
        fs::create_dir(&path).unwrap();
        chown(&path, Some(1000), Some(1000)).unwrap();
        check_owner(&path, home.path()).unwrap();
    }
}
