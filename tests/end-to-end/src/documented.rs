//! The counts of the Quickstart that the documentation shows.

use crate::{here, skip};

/// The instructions of both cases in the documentation.
const DOCUMENTED: [u64; 2] = [1733, 26_214_733];

/// The instructions of both cases by architecture.
const COUNTS: [(&str, [u64; 2]); 2] = [("x86_64", DOCUMENTED), ("aarch64", [1279, 19_286_974])];

/// Pairs the instructions of this architecture with those in the documentation.
#[must_use]
pub fn documented() -> Option<[(u64, u64); 2]> {
    here(&COUNTS).map(|[short, long]| [(short, DOCUMENTED[0]), (long, DOCUMENTED[1])])
}

/// Reports that the instructions of this architecture are not known.
pub fn skip_unknown() {
    skip("the instructions of another architecture are not known here");
}
