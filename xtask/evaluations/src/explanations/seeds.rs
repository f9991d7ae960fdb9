//! The seeds: changes of small crates, with what has to be said about each of them.
//!
//! They are data. A seed is not adapted to what the program says about it; one that is explained wrongly keeps
//! its expectation and has the reason.

mod heck;
mod sample;
mod seed;
mod semver;
mod smallvec;
mod strsim;

pub(crate) use self::seed::{Change, Edit, Expected, Profile, Seed};

/// Returns all seeds.
pub(crate) fn all() -> impl Iterator<Item = &'static Seed> {
    let all = [sample::SEEDS, strsim::SEEDS, heck::SEEDS, semver::SEEDS, smallvec::SEEDS];
    all.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_halves_have_the_same_size() {
        let names: BTreeSet<_> = all().map(|seed| (seed.subject, seed.name)).collect();
        assert_eq!(names.len(), all().count());
        let number = |half| all().filter(|seed| seed.half == half).count();
        assert_eq!(number(1) + number(2), all().count());
        assert!(number(1).abs_diff(number(2)) <= 4, "{} and {}", number(1), number(2));
        assert!(all().all(|seed| !seed.edits.is_empty()));
    }
}
