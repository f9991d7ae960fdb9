//! A library for `LD_PRELOAD`: kills its process before the rename, or the removal of a file, that has the
//! number in `KILL_AT`. The first one is 1.
//!
//! Processes that this one starts are spared.
//!
//! For the fault suite. A run that is killed at any other moment leaves one of the same states on the disk.

use std::env;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs before the program does.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    // SAFETY: there is no other thread yet.
    unsafe { env::remove_var("LD_PRELOAD") };
}

/// The number of changes so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn count() {
    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let last = env::var("KILL_AT").ok().and_then(|it| it.parse().ok());
    if last == Some(number) {
        // SAFETY: system calls without pointers.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}

/// Replaces the function of the C library.
///
/// # Safety
///
/// As that demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    count();
    // SAFETY: as demanded of the caller.
    unsafe { libc::renameat(libc::AT_FDCWD, from, libc::AT_FDCWD, to) }
}

/// Replaces the function of the C library.
///
/// # Safety
///
/// As that demands.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    count();
    // SAFETY: as demanded of the caller.
    unsafe { libc::unlinkat(libc::AT_FDCWD, path, 0) }
}
