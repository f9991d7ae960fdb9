//! Numbers and names that depend on the architecture.

use std::env::consts::ARCH;

/// Returns the entry of a table for the architecture that the tests run on.
#[must_use]
pub fn here<T: Copy>(table: &[(&str, T)]) -> Option<T> {
    table.iter().find(|(architecture, _)| *architecture == ARCH).map(|(_, entry)| *entry)
}
