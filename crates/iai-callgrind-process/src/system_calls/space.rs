//! The space of a file system, as a program sees it: 64 GiB, of which half is free.
//!
//! The kind of file system, the size of its blocks and its flags are the kernel's, because programs
//! need them. File systems without space, such as `/proc`, are not changed.

use std::fs::{File, OpenOptions};
use std::mem;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::files;
use super::machine;
use super::request::{Answer, Request, process_file};

/// Total bytes of a file system, free bytes, and those available to users other than root.
const TOTAL: u64 = 64 << 30;
const FREE: u64 = 32 << 30;
const AVAILABLE: u64 = 28 << 30;

/// Files that a file system can have, and that can be created.
const FILES: u64 = 4 << 20;
const FREE_FILES: u64 = 3 << 20;

/// Place of the kernel's access control, for which `ls` and `cp` look. It is absent, as on most machines.
const ACCESS_CONTROL: &str = "/sys/fs/selinux";

/// Answers `statfs`.
pub(super) fn of_path(request: &Request<'_>) -> Answer {
    let path = request.read_path(request.arguments[0]);
    if path.as_deref() == Some(ACCESS_CONTROL) {
        return Answer::Error(libc::ENOENT);
    }
    let path = path
        .filter(|path| !path.is_empty())
        .and_then(|path| files::absolute(path, files::CURRENT, request.thread));
    let file = path.and_then(|path| files::open_in_root(&path, request.thread, false));
    answer(request, file.map(File::from))
}

/// Answers `fstatfs`.
pub(super) fn of_descriptor(request: &Request<'_>) -> Answer {
    let [descriptor, ..] = request.arguments;
    let path = process_file(request.thread, &format!("fd/{descriptor}"));
    answer(request, open(Path::new(&path)))
}

fn open(path: &Path) -> Option<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path).ok()
}

/// Answers with the space of the file system of a file; the kernel answers if there is none.
fn answer(request: &Request<'_>, file: Option<File>) -> Answer {
    let state = file.and_then(|file| fixed_state(&file));
    state.map_or(Answer::Continue, |state| machine::write(request, request.arguments[1], &state))
}

/// Returns the state of a file system with the fixed space, if it has any.
fn fixed_state(file: &File) -> Option<libc::statfs> {
    // SAFETY: a state of zeros is valid.
    let mut state: libc::statfs = unsafe { mem::zeroed() };
    // SAFETY: the pointer is valid during the call.
    if unsafe { libc::fstatfs(file.as_raw_fd(), &raw mut state) } != 0 || state.f_blocks == 0 {
        return None;
    }
    let size = if state.f_frsize == 0 { state.f_bsize } else { state.f_frsize };
    let size = u64::try_from(size).ok().filter(|size| *size != 0)?;
    state.f_blocks = TOTAL / size;
    state.f_bfree = FREE / size;
    state.f_bavail = AVAILABLE / size;
    state.f_files = FILES;
    state.f_ffree = FREE_FILES;
    // SAFETY: an id of zeros is valid.
    state.f_fsid = unsafe { mem::zeroed() };
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_file_systems_with_space_have_the_fixed_one() {
        let directory = tempfile::tempdir().unwrap();
        let state = fixed_state(&open(directory.path()).unwrap()).unwrap();
        let size = u64::try_from(state.f_frsize).unwrap();
        assert_eq!([state.f_blocks, state.f_bfree], [TOTAL / size, FREE / size]);
        assert_ne!(state.f_type, 0);
        assert!(fixed_state(&open(Path::new("/proc")).unwrap()).is_none());
    }
}
