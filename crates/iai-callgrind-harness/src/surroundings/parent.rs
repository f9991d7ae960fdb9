//! The parent of a benchmark: the server, which is outside of what a benchmark sees. It has the id 0, as in a namespace of
//! processes, which not every system allows.

use std::sync::atomic::{AtomicI32, Ordering};

use super::c_library::functions_of_c_library;
use super::kernel;

functions_of_c_library!(own: getppid);

/// The process that has no id for benchmarks.
static SERVER: AtomicI32 = AtomicI32::new(0);

/// Hides the id of this process from the benchmarks that it forks.
pub(crate) fn hide() {
    // SAFETY: a system call without arguments.
    SERVER.store(unsafe { libc::getpid() }, Ordering::Relaxed);
}

/// Returns the id of the parent, as `getppid(2)` does.
#[unsafe(no_mangle)]
pub(super) extern "C" fn getppid() -> libc::pid_t {
    let server = SERVER.load(Ordering::Relaxed);
    // SAFETY: the C library's function has this type; a system call without arguments.
    let parent = unsafe {
        match own::getppid.found::<extern "C" fn() -> libc::pid_t>() {
            Some(own) => own(),
            None => kernel::call(libc::SYS_getppid, [0; 6]) as libc::pid_t,
        }
    };
    if parent == server { 0 } else { parent }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One test, because the server is the process's. The parent of the tests stays
    #[test]
    fn only_the_server_has_no_id() {
        let parent = std::os::unix::process::parent_id().cast_signed();
        assert_ne!(parent, 0);
        SERVER.store(parent, Ordering::Relaxed);
        assert_eq!(getppid(), 0);
        // SAFETY: a system call without arguments.
        assert_eq!(unsafe { libc::syscall(libc::SYS_getppid) }, 0);
        hide();
        assert_eq!(getppid(), parent);
        SERVER.store(0, Ordering::Relaxed);
    }
}
