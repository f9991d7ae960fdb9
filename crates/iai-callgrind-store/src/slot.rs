//! Slots: named places for the results of a benchmark.

use std::fmt;

use super::error::OutputError;
use crate::Result;

/// One of the results of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The result of the last run.
    Latest,
    /// The result of the run before.
    Old,
    /// A baseline with its name.
    Baseline(String),
}

impl Slot {
    /// Returns the slot of a baseline. The name becomes a part of file names.
    pub fn baseline(name: &str) -> Result<Self> {
        let is_allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let is_valid = (1..=64).contains(&name.len()) && !name.starts_with('.');
        if is_valid && name.chars().all(is_allowed) {
            Ok(Self::Baseline(name.to_owned()))
        } else {
            Err(OutputError::BaselineName { name: name.to_owned() }.into())
        }
    }

    /// Parses the name of a slot on the command line: `@last`, `@old` or a baseline.
    pub fn parse(name: &str) -> Result<Self> {
        [Self::Latest, Self::Old]
            .into_iter()
            .find(|slot| slot.name() == name)
            .map_or_else(|| Self::baseline(name), Ok)
    }

    /// Returns the name on the command line. The name of a baseline contains no `@`.
    pub fn name(&self) -> &str {
        match self {
            Self::Latest => "@last",
            Self::Old => "@old",
            Self::Baseline(name) => name,
        }
    }
}

/// Writes the part of a file name before the extension.
impl fmt::Display for Slot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => Ok(()),
            Self::Old => formatter.write_str(".old"),
            Self::Baseline(name) => write!(formatter, ".base@{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_a_name() {
        for slot in [Slot::Latest, Slot::Old, Slot::Baseline("main".to_owned())] {
            assert_eq!(Slot::parse(slot.name()).unwrap(), slot);
        }
        assert!(Slot::parse("@main").is_err());
    }

    #[test]
    fn a_name_cannot_leave_the_output_directory() {
        for name in ["", "..", ".", "../up", "a/b", "a\\b", "a b", "x\0", &"x".repeat(65)] {
            assert!(Slot::baseline(name).is_err(), "{name}");
        }
        for name in ["main", "v1.2.3", "feature-x_1", "größer"] {
            assert_eq!(Slot::baseline(name).unwrap().to_string(), format!(".base@{name}"));
        }
    }
}
