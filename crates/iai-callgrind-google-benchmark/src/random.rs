//! `std::random_device` of libstdc++, which asks the CPU for random numbers: under Valgrind these differ from run to run.
//!
//! Its functions are weak symbols here, which executables call. The numbers are those of `getrandom`, which the harness fixes
//! while benchmarks count. A static libstdc++ has all of its functions in one file, which the linker takes for any of them that is
//! missing here, so start and end are here as well.

use std::ffi::c_void;

/// Defines weak functions of libstdc++ by a jump to a function of this file.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! weak_functions {
    ($jump:literal: $($name:literal => $function:ident,)*) => {
        $(core::arch::global_asm!(
            ".pushsection .text.iai_callgrind_random_device, \"ax\"",
            concat!(".weak ", $name),
            concat!(".type ", $name, ", %function"),
            concat!($name, ":"),
            concat!($jump, " {function}"),
            ".popsection",
            function = sym $function,
        );)*
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($($functions:tt)*) => { weak_functions! { "jmp": $($functions)* } };
}
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($($functions:tt)*) => { weak_functions! { "b": $($functions)* } };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
jump! {
    "_ZNSt13random_device9_M_getvalEv" => random_value,
    // From a text, of which there are three types
    "_ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE" => nothing,
    "_ZNSt13random_device7_M_initERKSs" => nothing,
    "_ZNSt13random_device7_M_initEPKcm" => nothing,
    "_ZNSt13random_device7_M_finiEv" => nothing,
}

/// Opens or closes no source of numbers.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
extern "C" fn nothing(_: *mut c_void) {}

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
