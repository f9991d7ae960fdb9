//! Valgrind's client requests through C, for targets without inline assembly in stable Rust.
//!
//! These targets are PowerPC and MIPS on Linux. On other targets `iai-callgrind` does not depend on this
//! crate, and the crate is empty: the C code needs Valgrind's headers.

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

/// Makes the request with a number and arguments. Returns `default` outside of Valgrind.
#[inline]
#[must_use]
pub fn request(default: usize, arguments: &[usize; 6]) -> usize {
    // SAFETY: the function reads six words; natively it does nothing else.
    unsafe { iai_callgrind_client_request(default, arguments.as_ptr()) }
}
