//! x86-64: four rotations that add up to nothing, then an exchange of a register with itself.

use core::arch::asm;

pub(crate) const AVAILABLE: bool = true;

#[inline(always)]
pub(crate) fn request(default: usize, arguments: &[usize; 6]) -> usize {
    let result;
    // SAFETY: natively the instructions change nothing but the flags: the rotations by 3, 13, 61 and
    // 51 bits are two full turns. Valgrind reads the arguments and puts the result into rdx.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inlateout("rdx") default => result,
            in("rax") arguments.as_ptr(),
            options(nostack),
        );
    }
    result
}
