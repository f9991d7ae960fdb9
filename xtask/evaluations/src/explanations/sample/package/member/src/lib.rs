//! A package of the same workspace.

/// Returns the number with its bits elsewhere.
#[inline(never)]
pub fn shuffled(number: u32) -> u32 {
    let mut number = number;
    for _ in 0..3 {
        number = std::hint::black_box(number.rotate_left(7) ^ 0x55);
    }
    number
}
