//! ARM and Thumb: four rotations that add up to nothing, then the disjunction of a register with
//! itself.

use core::arch::asm;

pub(crate) const AVAILABLE: bool = true;

#[inline(always)]
pub(crate) fn request(default: usize, arguments: &[usize; 6]) -> usize {
    let result;
    // SAFETY: natively the instructions change nothing: the rotations by 3, 13, 29 and 19 bits are two
    // full turns. Valgrind reads the arguments and puts the result into r3.
    unsafe {
        asm!(
            "mov r12, r12, ror #3",
            "mov r12, r12, ror #13",
            "mov r12, r12, ror #29",
            "mov r12, r12, ror #19",
            "orr r10, r10, r10",
            inlateout("r3") default => result,
            in("r4") arguments.as_ptr(),
            options(nostack),
        );
    }
    result
}
