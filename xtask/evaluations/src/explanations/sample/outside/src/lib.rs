//! A package outside of the workspace.

/// Returns twice the number.
#[inline(never)]
pub fn doubled(number: u32) -> u32 {
    #[cfg(feature = "checked")]
    assert!(std::hint::black_box(number) < u32::MAX / 2);
    number.wrapping_add(number)
}
