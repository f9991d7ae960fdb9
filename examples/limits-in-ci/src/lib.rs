//! A function whose cost has a limit.

/// Returns a checksum of the bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    let bytes = if cfg!(feature = "slower") { &bytes.to_vec() } else { bytes };
    bytes.iter().fold(0, |sum, byte| sum.rotate_left(5) ^ u32::from(*byte))
}
