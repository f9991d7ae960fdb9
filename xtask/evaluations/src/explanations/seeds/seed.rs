//! A seed: a change of a crate, and the explanations that it must have.

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

pub(super) const fn edit(file: &'static str, old: &'static str, new: &'static str) -> Edit {
    Edit { file, old, new }
}

pub(super) const fn change(
    benchmark: &'static str,
    verdicts: &'static [Verdict],
    culprits: &'static [&'static str],
) -> Expected {
    Expected::Change(Change { benchmark, verdicts, culprits, also: &[] })
}

/// Returns the explanation of changed lines that one benchmark runs.
pub(super) const fn lines(benchmark: &'static str, culprits: &'static [&'static str]) -> Expected {
    change(benchmark, &[Verdict::ChangedLines], culprits)
}

/// Returns the explanation of changed lines that several benchmarks run.
pub(super) const fn shared_lines(
    benchmark: &'static str,
    culprits: &'static [&'static str],
    also: &'static [&'static str],
) -> Expected {
    let verdicts = &[Verdict::ChangedLines];
    Expected::Change(Change { benchmark, verdicts, culprits, also })
}

pub(super) const fn seed(subject: &'static str, half: u8, name: &'static str) -> Seed {
    let profile = Profile::Recommended;
    let expected = Expected::Unchanged;
    Seed { subject, name, half, profile, edits: &[], expected, known: "" }
}
