//! Hash maps whose seeds are made of addresses, which move when other code of the executable changes.

use std::collections::{BTreeMap, BTreeSet};

use iai_callgrind_explain::makes_address_seed;

use super::note::BenchmarkNote;

/// Crates of hashers whose default seeds are addresses, each with a hasher with a fixed seed.
const FIXED_HASHERS: [(&str, &str); 3] = [
    ("foldhash", "foldhash::fast::FixedState"),
    ("ahash", "ahash::RandomState::with_seeds"),
    ("rapidhash", "rapidhash::fast::SeedableState::fixed"),
];

/// The benchmarks that make seeds from addresses, by the index of the crate.
#[derive(Debug, Default)]
pub(super) struct AddressSeeds(BTreeMap<usize, BTreeSet<String>>);

impl AddressSeeds {
    /// Adds a benchmark with this title if one of the functions that ran makes such a seed.
    pub(super) fn add<'a>(&mut self, title: &str, functions: impl Iterator<Item = &'a str>) {
        for name in functions.filter_map(makes_address_seed) {
            let index = FIXED_HASHERS.iter().position(|(found, _)| *found == name);
            if let Some(index) = index {
                self.0.entry(index).or_default().insert(title.to_owned());
            }
        }
    }

    /// Returns a note for each crate.
    pub(super) fn notes(&self) -> impl Iterator<Item = BenchmarkNote<'_>> {
        self.0.iter().map(|(index, titles)| {
            let (name, fixed) = FIXED_HASHERS[*index];
            BenchmarkNote::AddressSeeds { titles, name, fixed }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(benchmarks: &[(&str, &[&str])]) -> Vec<String> {
        let mut seeds = AddressSeeds::default();
        for (title, functions) in benchmarks {
            seeds.add(title, functions.iter().copied());
        }
        seeds.notes().map(|note| note.to_string()).collect()
    }

    #[test]
    fn a_note_names_the_crate_and_the_benchmarks_with_seeds_of_addresses() {
        let foldhash = ["main", "foldhash::seed::global::GlobalSeed::init_slow"];
        let ahash = [
            "<ahash::random_state::DefaultRandomSource as ahash::random_state::RandomSource>::gen_hasher_seed",
        ];
        let found =
            notes(&[("b::g::one", &foldhash), ("b::g::two", &ahash), ("b::g::one", &foldhash)]);
        let expected = [
            ("b::g::one", "foldhash", "foldhash::fast::FixedState"),
            ("b::g::two", "ahash", "ahash::RandomState::with_seeds"),
        ];
        let expected = expected.map(|(title, name, fixed)| {
            format!(
                "note: the counts of {title} can change with other code of the executable: {name} makes seeds of hash maps of \
                 addresses\nhelp: use a hasher with a fixed seed, such as `{fixed}`, or silence this with `--profile-note=no`"
            )
        });
        assert_eq!(found, expected);
        let many = ["a", "b", "c", "d", "e"].map(|title| (title, &foldhash[..]));
        assert!(notes(&many)[0].starts_with("note: the counts of a, b, c and 2 more can change"));
    }

    #[test]
    fn hashers_with_fixed_seeds_have_no_note() {
        let names = [
            "<foldhash::fast::FoldHasher as core::hash::Hasher>::write",
            "foldhash::seed::SharedSeed::global_fixed",
            "<ahash::random_state::RandomState as core::hash::BuildHasher>::build_hasher",
            "ahash::random_state::RandomState::from_keys",
            "my_crate::foldhash::seed::global::of_mine",
        ];
        assert!(notes(&[("b::g::fixed", &names)]).is_empty());
    }
}
