//! The seeds: changes of small crates, with what has to be said about each of them.
//!
//! They are data. A seed is not adapted to what the program says about it; one that is explained wrongly keeps
//! its expectation and has the reason.

mod heck;
mod sample;
mod semver;
mod smallvec;
mod strsim;

use iai_callgrind_summary::explanation::Verdict;

/// A change of a crate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed {
    /// Name of the crate.
    pub(crate) subject: &'static str,
    /// The change in words.
    pub(crate) name: &'static str,
    /// The half that the seed belongs to, 1 or 2. The rules were written with the first one only.
    pub(crate) half: u8,
    /// Build before the change.
    pub(crate) profile: Profile,
    pub(crate) edits: &'static [Edit],
    pub(crate) expected: Expected,
    /// The reason why the explanation is known to be wrong; empty if it is not.
    pub(crate) known: &'static str,
}

/// A change of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edit {
    /// Path in the directory of the crate.
    pub(crate) file: &'static str,
    /// The text that is replaced, which occurs once; empty for a text that is appended.
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
}

/// The profile of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Profile {
    /// The one that the guide recommends: `debug = 1` and `codegen-units = 1`.
    Recommended,
    /// Cargo's number of codegen units, with debug information.
    Units,
    /// Without optimization.
    Unoptimized,
}

/// The explanations that a change must have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expected {
    Change(Change),
    /// No benchmark changes.
    Unchanged,
    /// Benchmarks can change by other choices of the compiler.
    Bystander,
}

/// The explanation of a benchmark that changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// Name of the benchmark function.
    pub(crate) benchmark: &'static str,
    /// The verdicts that are right.
    pub(crate) verdicts: &'static [Verdict],
    /// Ends of names of functions, of which one is among the first three entries; empty if the change is in no function.
    pub(crate) culprits: &'static [&'static str],
    /// Other benchmarks that run the changed lines.
    pub(crate) also: &'static [&'static str],
}

const fn edit(file: &'static str, old: &'static str, new: &'static str) -> Edit {
    Edit { file, old, new }
}

const fn change(
    benchmark: &'static str,
    verdicts: &'static [Verdict],
    culprits: &'static [&'static str],
) -> Expected {
    Expected::Change(Change { benchmark, verdicts, culprits, also: &[] })
}

/// Returns the explanation of changed lines that one benchmark runs.
const fn lines(benchmark: &'static str, culprits: &'static [&'static str]) -> Expected {
    change(benchmark, &[Verdict::ChangedLines], culprits)
}

/// Returns the explanation of changed lines that several benchmarks run.
const fn shared_lines(
    benchmark: &'static str,
    culprits: &'static [&'static str],
    also: &'static [&'static str],
) -> Expected {
    let verdicts = &[Verdict::ChangedLines];
    Expected::Change(Change { benchmark, verdicts, culprits, also })
}

const fn seed(subject: &'static str, half: u8, name: &'static str) -> Seed {
    let profile = Profile::Recommended;
    let expected = Expected::Unchanged;
    Seed { subject, name, half, profile, edits: &[], expected, known: "" }
}

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
