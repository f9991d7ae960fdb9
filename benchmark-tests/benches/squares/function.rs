//! The function, which is compiled alone for C++.

/// Adds up squares.
#[unsafe(no_mangle)]
#[inline(never)]
pub(crate) extern "C" fn squares(last: i64) -> i64 {
    (0..last).fold(0, |sum: i64, number| (sum ^ number).wrapping_add(number * number))
}
