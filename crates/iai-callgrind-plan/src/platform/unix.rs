//! Unix: paths and arguments are bytes, and the standard streams are descriptors.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

/// The output streams: bit, descriptor and name.
const STREAMS: [(u8, i32, &str); 2] = [(1, 1, "the standard output"), (2, 2, "the standard error")];

/// Bits of the streams that were closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static INITIALIZER: extern "C" fn() = find_closed;

extern "C" fn find_closed() {
    const F_GETFD: i32 = 1;
    unsafe extern "C" {
        fn fcntl(descriptor: i32, command: i32, ...) -> i32;
    }
    for (bit, descriptor, _) in STREAMS {
        // SAFETY: a system call without pointers, which any descriptor can be passed to.
        if unsafe { fcntl(descriptor, F_GETFD) } < 0 {
            CLOSED.fetch_or(bit, Ordering::Relaxed);
        }
    }
}

/// Returns the name of an output stream that was closed when this process started.
pub(crate) fn closed_stream() -> Option<&'static str> {
    let closed = CLOSED.load(Ordering::Relaxed);
    STREAMS.into_iter().find(|(bit, ..)| closed & bit != 0).map(|(.., name)| name)
}

/// Returns true if there is a device or file of this name. Programs are started with it as their standard input.
pub(crate) fn has_null_device() -> bool {
    Path::new("/dev/null").exists()
}

/// Returns the path or argument with these bytes.
pub(crate) fn os_string(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}
