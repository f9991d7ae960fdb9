//! AArch64: four rotations that add up to nothing, then the disjunction of a register with itself.

use core::arch::asm;

pub(crate) const AVAILABLE: bool = true;

#[inline(always)]
pub(crate) fn request(default: usize, arguments: &[usize; 6]) -> usize {
    let result;
    // SAFETY: natively the instructions change nothing: the rotations by 3, 13, 51 and 61 bits are two
    // full turns. Valgrind reads the arguments and puts the result into x3.
    unsafe {
        asm!(
            "ror x12, x12, #3",
            "ror x12, x12, #13",
            "ror x12, x12, #51",
            "ror x12, x12, #61",
            "orr x10, x10, x10",
            inlateout("x3") default => result,
            in("x4") arguments.as_ptr(),
            options(nostack),
        );
    }
    result
}
