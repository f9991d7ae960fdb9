//! Requests to the Valgrind that a program runs under: one file per header, `arch/` holds the
//! instructions that Valgrind recognizes.
//!
//! Outside of Valgrind a request is a handful of instructions without effect.

mod arch;
pub(crate) mod callgrind;
pub(crate) mod valgrind;

/// Makes a request that has one argument and no result that anyone needs.
#[inline(always)]
fn request_with(number: usize, argument: usize) {
    arch::request(0, &[number, argument, 0, 0, 0, 0]);
}
