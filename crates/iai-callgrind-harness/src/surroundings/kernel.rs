//! System calls without the C library, and the function `syscall` for those who make them through it.

use std::arch::asm;
use std::ffi::{c_int, c_long, c_uint};
use std::ptr;

use super::{clock, parent, random, scheduling, waits};

/// Makes a system call. Returns the kernel's result: a negative error number on failure.
///
/// # Safety
///
/// The arguments are valid for the call.
#[inline(always)]
pub(super) unsafe fn call(number: c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    #[cfg(target_arch = "x86_64")]
    {
        let result;
        // SAFETY: the kernel changes no registers but these; the caller is responsible for the rest.
        unsafe {
            asm!(
                "syscall",
                inlateout("rax") number as isize => result,
                in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
                lateout("rcx") _, lateout("r11") _,
                options(nostack),
            );
        }
        result
    }
    #[cfg(target_arch = "aarch64")]
    {
        let result;
        // SAFETY: the kernel changes no registers but this one; the caller is responsible for the rest.
        unsafe {
            asm!(
                "svc 0",
                in("x8") number,
                inlateout("x0") a => result,
                in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
                options(nostack),
            );
        }
        result
    }
}

/// Sleeps for this time of the system's clock, unless a signal comes.
pub(crate) fn sleep(time: &libc::timespec) {
    // SAFETY: the time is valid during the call.
    unsafe { call(libc::SYS_nanosleep, [ptr::from_ref(time) as usize, 0, 0, 0, 0, 0]) };
}

/// Returns the result of a system call as functions of the C library do: -1 and `errno` on failure.
pub(super) fn result(result: isize) -> isize {
    const LAST_ERROR: isize = -4095;
    if !(LAST_ERROR..0).contains(&result) {
        return result;
    }
    set_error(c_int::try_from(-result).unwrap_or(libc::EIO));
    -1
}

/// Sets `errno` of this thread.
pub(super) fn set_error(number: c_int) {
    // SAFETY: the pointer is always valid.
    unsafe { *libc::__errno_location() = number };
}

/// Makes a system call as `syscall(2)` does, apart from those for random numbers, clocks, the parent, waits by a clock and
/// processes.
///
/// # Safety
///
/// The arguments are valid for the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall(
    number: c_long,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
) -> c_long {
    let arguments = [a, b, c, d, e, f];
    // SAFETY: the caller is responsible for the arguments.
    unsafe {
        match number {
            libc::SYS_getrandom => random::getrandom(a as *mut u8, b, c as c_uint) as c_long,
            libc::SYS_getppid => parent::getppid().into(),
            libc::SYS_clock_gettime => clock::clock_gettime(a as c_int, b as *mut _).into(),
            libc::SYS_clone | libc::SYS_clone3 => {
                scheduling::order_processes();
                result(call(number, arguments)) as c_long
            }
            libc::SYS_futex => result(waits::futex(arguments)) as c_long,
            _ => result(call(number, arguments)) as c_long,
        }
    }
}
