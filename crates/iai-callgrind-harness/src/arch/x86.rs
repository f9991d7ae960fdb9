//! x86: four rotations that add up to nothing, then an exchange of a register with itself.

use core::arch::asm;

pub(crate) const AVAILABLE: bool = true;

#[inline(always)]
pub(crate) fn request(default: usize, arguments: &[usize; 6]) -> usize {
    let result;
    // SAFETY: natively the instructions change nothing but the flags: the rotations by 3, 13, 29 and
    // 19 bits are two full turns. Valgrind reads the arguments and puts the result into edx.
    unsafe {
        asm!(
            "rol edi, 3",
            "rol edi, 13",
            "rol edi, 29",
            "rol edi, 19",
            "xchg ebx, ebx",
            inlateout("edx") default => result,
            in("eax") arguments.as_ptr(),
            options(nostack),
        );
    }
    result
}
