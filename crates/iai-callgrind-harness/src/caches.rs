//! Clears the simulated first-level caches before a case, and has the last-level cache contain the stack.
//!
//! A case would otherwise start with the code and the data that its server left there. Which of them are still there depends
//! on where the linker put the server's functions and variables, so that one more benchmark, or another path of the checkout,
//! would move accesses between the caches. The last-level cache has room for all that a server uses.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::ptr;

/// Lines of the caches that the runner asks for by default, 32 KiB in lines of 64 bytes.
const LINES: usize = 512;
const LINE: usize = 64;

/// `true` if [`clear_instructions`] has as many lines of its own.
const HAS_JUMPS: bool = cfg!(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "arm",
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "s390x",
));

/// Bytes of the stack that benchmarks find in the last-level cache.
const STACK: usize = 64 * 1024;

/// Runs this instruction, a jump to the next label `2`, in each of 512 adjacent lines.
#[allow(unused_macros, reason = "other architectures have no such instruction here")]
macro_rules! jump {
    ($jump:literal) => {
        // SAFETY: nothing but jumps forward to the next line.
        unsafe {
            std::arch::asm!(
                ".p2align 6",
                ".rept 512",
                $jump,
                ".p2align 6",
                "2:",
                ".endr",
                options(nomem, nostack, preserves_flags),
            );
        }
    };
}

/// Writes to each line of the stack below the caller. A line that nothing has used before is an access to RAM, and how many
/// of them a benchmark has would depend on the frames of the code before it.
#[inline(never)]
#[expect(clippy::large_stack_arrays, reason = "it is about the stack")]
pub(crate) fn load_stack() {
    let mut stack = [const { MaybeUninit::<u8>::uninit() }; STACK];
    for byte in stack.iter_mut().step_by(LINE) {
        black_box(byte.write(0));
    }
    black_box(&mut stack);
}

/// Displaces all lines of both caches.
pub(crate) fn clear() {
    if HAS_JUMPS {
        clear_data();
    }
    clear_instructions();
}

/// Displaces all lines of the instruction cache.
#[inline(never)]
fn clear_instructions() {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    jump!("jmp 2f");
    #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
    jump!("b 2f");
    #[cfg(any(target_arch = "riscv64", target_arch = "s390x"))]
    jump!("j 2f");
}

/// Displaces all lines of the data cache: reads those of the function that displaces the others, which are there anyway.
#[inline(never)]
fn clear_data() {
    let code = clear_instructions as fn() as usize;
    let first = code - code % LINE;
    for line in 0..LINES {
        let byte = ptr::with_exposed_provenance::<u8>(first + line * LINE);
        // SAFETY: the function starts in the first of these lines, and has as many of its own.
        black_box(unsafe { byte.read_volatile() });
    }
}
