//! `std::random_device` of libstdc++, which asks the CPU for random numbers: under Valgrind these differ from run to run.
//!
//! Its function is a weak symbol here, which an executable with a shared libstdc++ calls. It takes the numbers of `getrandom`,
//! which the harness fixes while benchmarks count.

use std::ffi::c_void;

#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".pushsection .text.iai_callgrind_random_device, \"ax\", @progbits",
    ".weak _ZNSt13random_device9_M_getvalEv",
    ".type _ZNSt13random_device9_M_getvalEv, @function",
    "_ZNSt13random_device9_M_getvalEv:",
    "jmp {value}",
    ".popsection",
    value = sym random_value,
);

#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".pushsection .text.iai_callgrind_random_device, \"ax\", %progbits",
    ".weak _ZNSt13random_device9_M_getvalEv",
    ".type _ZNSt13random_device9_M_getvalEv, %function",
    "_ZNSt13random_device9_M_getvalEv:",
    "b {value}",
    ".popsection",
    value = sym random_value,
);

/// Returns a random number.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn random_value(_: *mut c_void) -> u32 {
    let mut bytes = [0_u8; 4];
    // SAFETY: the buffer is as long as the call says.
    let read = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if usize::try_from(read) != Ok(bytes.len()) {
        eprintln!("error: no random number: {}", std::io::Error::last_os_error());
        std::process::abort();
    }
    u32::from_ne_bytes(bytes)
}
