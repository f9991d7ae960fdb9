//! Valgrind's client requests through C, for targets where stable Rust has no inline assembly.
//!
//! These are PowerPC and MIPS, on Linux. `iai-callgrind` depends on this crate on no other target, and
//! on no other target is it anything: the C code is only compiled where it is needed, since it needs
//! Valgrind's headers.

#![no_std]
#![cfg(all(
    target_os = "linux",
    any(
        target_arch = "powerpc",
        target_arch = "powerpc64",
        target_arch = "mips",
        target_arch = "mips64",
    )
))]

unsafe extern "C" {
    fn iai_callgrind_client_request(default: usize, arguments: *const usize) -> usize;
}

/// Makes the request whose number and arguments these are. Returns `default` outside of Valgrind.
#[inline]
#[must_use]
pub fn request(default: usize, arguments: &[usize; 6]) -> usize {
    // SAFETY: the function reads six words; natively it does nothing else.
    unsafe { iai_callgrind_client_request(default, arguments.as_ptr()) }
}
