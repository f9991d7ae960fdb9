//! The function that makes a request with inline assembly. It only differs in instructions and registers.

/// Declares the names of an architecture's file. The instructions change nothing but flags natively.
macro_rules! inline_request {
    ($($instruction:literal,)+ result: $result:tt, arguments: $arguments:tt,) => {
        pub(crate) const AVAILABLE: bool = true;

        #[inline(always)]
        pub(crate) fn request(default: usize, arguments: &[usize; 6]) -> usize {
            let result;
            // SAFETY: natively the instructions change nothing but flags. Valgrind reads the arguments and puts the
            // result into its register.
            unsafe {
                core::arch::asm!(
                    $($instruction,)+
                    inlateout($result) default => result,
                    in($arguments) arguments.as_ptr(),
                    options(nostack),
                );
            }
            result
        }
    };
}
