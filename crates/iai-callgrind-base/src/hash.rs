//! A hash that is the same with every version of Rust.

use std::hash::Hasher;

use fnv::FnvHasher;

/// Returns a hash of 64 bits in hexadecimal, which is the same everywhere.
pub fn hash(bytes: &[u8]) -> String {
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}
