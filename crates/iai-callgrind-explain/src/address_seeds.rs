//! Hash maps whose seeds are made of addresses.

/// Crates of hashers whose default seeds are addresses, with the functions that make the seeds, or
/// modules that contain only such functions.
const CRATES: [(&str, &[&str]); 3] = [
    ("foldhash", &["foldhash::seed::gen_per_hasher_seed", "foldhash::seed::global::"]),
    ("ahash", &["ahash::random_state::DefaultRandomSource"]),
    ("rapidhash", &["rapidhash::inner::seeding::"]),
];

/// Returns the crate of a function that makes a seed of addresses; `None` for other functions.
#[must_use]
pub fn makes_address_seed(function: &str) -> Option<&'static str> {
    // The name of a trait method starts with the type in brackets
    let function = function.trim_start_matches('<');
    let found = CRATES
        .iter()
        .find(|(_, functions)| functions.iter().any(|start| function.starts_with(start)));
    found.map(|(name, _)| *name)
}
