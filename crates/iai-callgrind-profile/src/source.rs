//! The hash of a source file. A run reads all sources of a workspace, and this crate is optimized.

use std::hash::Hasher;

use fnv::FnvHasher;

/// Returns the hash of the lines of a source file that are neither blank nor comments.
#[must_use]
pub fn code_hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    let lines = text.lines().map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with("//")) {
        hasher.write(line.as_bytes());
        hasher.write_u8(b'\n');
    }
    hasher.finish()
}
