//! Clears the simulated first-level instruction cache before a case.
//!
//! A case would otherwise start with the code that its server left there. It depends on where the linker put
//! the server's functions, so that one more benchmark, or another path of the checkout, would move accesses
//! between the caches. The last-level cache has room for all that a server uses.
//!
//! The data cache stays as it is: the loader has just filled in all addresses of the executable, and which of
//! them lie in the same line as those of the server changes with each benchmark.

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

/// Displaces all lines of the instruction cache that the runner asks for by default, 32 KiB in lines of 64
/// bytes.
#[inline(never)]
pub(crate) fn clear() {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    jump!("jmp 2f");
    #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
    jump!("b 2f");
    #[cfg(any(target_arch = "riscv64", target_arch = "s390x"))]
    jump!("j 2f");
}
