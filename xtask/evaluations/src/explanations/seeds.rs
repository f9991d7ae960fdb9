//! Seeds: changes of small crates, with the expected explanation of each.
//!
//! A seed is not adapted to the program. If it is explained wrongly, it keeps its expectation, and `Known` has the
//! reason. A file for each crate has its manifest, then seeds such as
//!
//! ```text
//! Seed 1: a line of a parser
//! Expected: parse: changed-lines: numeric_identifier
//! Also: parse_requirement
//! ```
//!
//! and a diff. The number is the half that the seed belongs to: the rules were written with the first one. The
//! benchmark that changes has the right verdicts, and the ends of function names, one of which must be among the first
//! entries. `Also` names other benchmarks that run the changed lines, and `Profile` the build profile.

use clap::ValueEnum as _;
use iai_callgrind_summary::explanation::Verdict;

use crate::harness::Profile;

/// A change of a crate.
#[derive(Debug, Clone)]
pub(crate) struct Seed {
    /// The change in words.
    pub(crate) name: &'static str,
    pub(crate) half: u8,
    pub(crate) profile: Profile,
    pub(crate) expected: Expected,
    /// The reason why the explanation is known to be wrong; empty if it is not.
    pub(crate) known: &'static str,
    pub(crate) diff: &'static str,
}

/// The explanations that a change must have.
#[derive(Debug, Clone)]
pub(crate) enum Expected {
    Change(Change),
    /// No benchmark changes.
    Unchanged,
    /// Benchmarks can change by other choices of the compiler.
    Bystander,
}

/// The explanation of a benchmark that changes.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Name of the benchmark function.
    pub(crate) benchmark: &'static str,
    pub(crate) verdicts: Vec<Verdict>,
    /// Empty if the change is in no function.
    pub(crate) culprits: Vec<&'static str>,
    pub(crate) also: Vec<&'static str>,
}

const OR: &str = " or ";

/// Reads the seeds of a crate.
pub(crate) fn parse(text: &'static str) -> Result<Vec<Seed>, String> {
    let seeds = text.split("\nSeed ").skip(1);
    let parse = |seed| parse_one(seed).ok_or_else(|| format!("not a seed: {seed}"));
    seeds.map(parse).collect()
}

fn parse_one(text: &'static str) -> Option<Seed> {
    let (fields, _) = text.split_once("--- ")?;
    let (half, name) = fields.lines().next()?.split_once(": ")?;
    let field = |name: &str| {
        fields.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or("")
    };
    let expected = match field("Expected") {
        "unchanged" => Expected::Unchanged,
        "bystander" => Expected::Bystander,
        change => {
            let (benchmark, change) = change.split_once(": ")?;
            let (verdicts, culprits) = change.split_once(": ").unwrap_or((change, ""));
            let verdict = |name| serde_json::from_value(serde_json::Value::from(name)).ok();
            Expected::Change(Change {
                benchmark,
                verdicts: verdicts.split(OR).map(verdict).collect::<Option<_>>()?,
                culprits: culprits.split(OR).filter(|name| !name.is_empty()).collect(),
                also: field("Also").split(", ").filter(|name| !name.is_empty()).collect(),
            })
        }
    };
    let profile = match field("Profile") {
        "" => Profile::One,
        name => Profile::from_str(name, false).ok()?,
    };
    let (half, known) = (half.parse().ok()?, field("Known"));
    Some(Seed { name, half, profile, expected, known, diff: &text[fields.len()..] })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::explanations::subject::SUBJECTS;

    #[test]
    fn names_are_unique_and_halves_have_the_same_size() {
        let seeds = SUBJECTS.iter().flat_map(|subject| {
            let seeds = subject.seeds().unwrap();
            seeds.into_iter().map(|seed| (subject.name, seed))
        });
        let seeds: Vec<_> = seeds.collect();
        let names: BTreeSet<_> = seeds.iter().map(|(subject, seed)| (subject, seed.name)).collect();
        assert_eq!((names.len(), seeds.len()), (105, 105));
        let first = seeds.iter().filter(|(_, seed)| seed.half == 1).count();
        assert!(first.abs_diff(seeds.len() - first) <= 4, "{first} of {}", seeds.len());
    }
}
