//! Files of the system that differ between runs and machines: `/dev/urandom` and the limits of the control group.

use std::ffi::{c_char, c_int, c_uint};

use super::c_library::{Function, functions_of_c_library};
use super::{cpus, kernel, random};

functions_of_c_library!(own: open, open64);

type Open = unsafe extern "C" fn(*const c_char, c_int, ...) -> c_int;

/// Number of bytes in `/dev/urandom`. A file in memory takes its place.
const RANDOM_BYTES: usize = 4096;

/// Opens a file as `open(2)` does.
///
/// # Safety
///
/// The path is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller is responsible for the path.
    unsafe { open_path(path, flags, mode, &own::open) }
}

/// Opens a file as `open(2)` does. On these targets, all files can be large.
///
/// # Safety
///
/// The path is a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller is responsible for the path.
    unsafe { open_path(path, flags, mode, &own::open64) }
}

/// Opens a path as the C library does with the function `own`.
///
/// # Safety
///
/// The path is a C string, and the function has the type [`Open`].
#[inline(always)]
unsafe fn open_path(path: *const c_char, flags: c_int, mode: c_uint, own: &Function) -> c_int {
    // SAFETY: the caller is responsible for the path and the function; each comparison ends with the path.
    unsafe {
        if !random::is_fixed() && !cpus::are_fixed() {
            if let Some(own) = own.found::<Open>() {
                return own(path, flags, mode);
            }
        }
        if random::is_fixed() && (is(path, b"/dev/urandom\0") || is(path, b"/dev/random\0")) {
            return open_random(flags);
        }
        if cpus::are_fixed() && is(path, b"/proc/self/cgroup\0") {
            kernel::set_error(libc::ENOENT);
            return -1;
        }
        let arguments =
            [libc::AT_FDCWD as usize, path as usize, flags as usize, mode as usize, 0, 0];
        kernel::result(kernel::call(libc::SYS_openat, arguments)) as c_int
    }
}

/// Returns `true` if the path consists of these bytes, the last of which is zero.
///
/// # Safety
///
/// The path is a C string.
unsafe fn is(path: *const c_char, bytes: &[u8]) -> bool {
    // SAFETY: the bytes of the path up to its end are valid, and nothing after the first difference is read.
    bytes.iter().enumerate().all(|(at, byte)| unsafe { *path.add(at).cast::<u8>() } == *byte)
}

/// Opens a file in memory with random bytes.
fn open_random(flags: c_int) -> c_int {
    let mut bytes = [0_u8; RANDOM_BYTES];
    let on_exec = if flags & libc::O_CLOEXEC == 0 { 0 } else { libc::MFD_CLOEXEC };
    // SAFETY: the name and the buffer are valid during the calls.
    unsafe {
        random::getrandom(bytes.as_mut_ptr(), bytes.len(), 0);
        let file = libc::memfd_create(c"urandom".as_ptr(), on_exec);
        if file >= 0 {
            libc::pwrite(file, bytes.as_ptr().cast(), bytes.len(), 0);
        }
        file
    }
}
