//! Forks children in namespaces of their own, in which their processes have the same ids in each run.
//!
//! The runner makes the namespaces of processes. Processes of two children that run at the same time can have the same id, so
//! each child has a directory of its own for the files that Valgrind names after ids. Valgrind opens the first of them in
//! the fork, so the server puts the directory in place before.

use std::ffi::{CStr, CString};
use std::io;
use std::ptr;

use iai_callgrind_plan::protocol::{
    CHILD_FILES, Message, NAMESPACE, SERVER_NUMBER, TOOL_FILES, capture_name,
};

/// Paths whose names contain the number of a child, and that are made only once: the server takes the same path through its
/// code for each child.
pub(super) struct Isolation {
    namespace: Vec<u8>,
    files: Vec<u8>,
    target: CString,
    /// The place of the number in both paths.
    at: usize,
}

impl Isolation {
    /// Returns the paths in the directory of the captured output.
    pub(super) fn new(directory: &str) -> io::Result<Self> {
        let number = capture_name(SERVER_NUMBER);
        let number = String::from_utf8_lossy(&number);
        let path = |extension| {
            CString::new(format!("{directory}{number}.{extension}"))
                .map(CString::into_bytes_with_nul)
                .map_err(io::Error::other)
        };
        Ok(Self {
            namespace: path(NAMESPACE)?,
            files: path(CHILD_FILES)?,
            target: CString::new(format!("{directory}{TOOL_FILES}")).map_err(io::Error::other)?,
            at: directory.len(),
        })
    }

    /// Forks the child with this number by this function. Returns [`Message::NOT_ISOLATED`] if the system does not allow the
    /// namespaces, or no more of them.
    ///
    /// # Safety
    ///
    /// As for `fork`.
    pub(super) unsafe fn fork(
        &mut self,
        number: u32,
        fork: unsafe fn() -> libc::pid_t,
    ) -> libc::pid_t {
        let name = capture_name(number);
        for path in [&mut self.namespace, &mut self.files] {
            path[self.at..][..name.len()].copy_from_slice(&name);
        }
        let target = self.target.as_ptr();
        // SAFETY: the paths end with a zero byte.
        let is_placed = unsafe { bind(self.files.as_ptr().cast(), target) };
        if !is_placed || !enter(&self.namespace) {
            return Message::NOT_ISOLATED;
        }
        // SAFETY: the caller guarantees it.
        let child = unsafe { fork() };
        // The server ends if it can't fork
        if child > 0 {
            enter(b"/proc/self/ns/pid\0");
            // The child keeps the mounts, and this process has its own directory again
            let is_separate = has_own_mounts();
            if !is_separate {
                stop(child);
            }
            // SAFETY: the path ends with a zero byte.
            unsafe { libc::umount2(target, libc::MNT_DETACH) };
            if !is_separate {
                return Message::NOT_ISOLATED;
            }
        }
        child
    }
}

/// Shows a directory at this path.
///
/// # Safety
///
/// The paths end with a zero byte.
unsafe fn bind(source: *const libc::c_char, target: *const libc::c_char) -> bool {
    // DHAT reads the kind, which means nothing here, without a look at its address
    let kind = c"none".as_ptr();
    // SAFETY: the caller guarantees it.
    unsafe { libc::mount(source, target, kind, libc::MS_BIND, ptr::null()) == 0 }
}

/// Puts the next children of this process into the namespace of this path, which ends with a zero byte.
fn enter(path: &[u8]) -> bool {
    // SAFETY: the path ends with a zero byte, and no other code has the descriptor.
    unsafe {
        let Ok(namespace) = super::capture::open(path, libc::O_RDONLY | libc::O_CLOEXEC) else {
            return false;
        };
        let has_entered = libc::setns(namespace, libc::CLONE_NEWPID) == 0;
        libc::close(namespace);
        has_entered
    }
}

/// Gives this process mounts of its own. Returns `false` if the system allows no more namespaces.
fn has_own_mounts() -> bool {
    // SAFETY: a system call without pointers.
    unsafe { libc::unshare(libc::CLONE_NEWNS) == 0 }
}

/// Kills a child, whose files would be elsewhere, and waits for it.
fn stop(child: libc::pid_t) {
    // SAFETY: system calls without pointers. The process is a child that nothing has waited for.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, ptr::null_mut(), 0);
    }
}

/// Replaces `/proc` by one with the processes of this process's namespace, if it has its own. Returns `false` if the system does
/// not allow it.
#[inline(never)]
pub(super) fn show_processes(is_isolated: bool) -> bool {
    const PROCESSES: &CStr = c"proc";
    if !is_isolated {
        return true;
    }
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let kind = PROCESSES.as_ptr();
    // The server can still have the same mounts, and keeps its own
    // SAFETY: the strings end with a zero byte.
    has_own_mounts()
        && unsafe { libc::mount(kind, c"/proc".as_ptr(), kind, flags, ptr::null()) } == 0
}
