//! Slots: under which name a result is kept beside others of the same benchmark.

use std::fmt;

use crate::error::{Error, Result};

/// Which of a benchmark's results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// That of the last run.
    Latest,
    /// That of the run before.
    Old,
    /// One kept under a name.
    Baseline(String),
}

impl Slot {
    /// The slot of the baseline with this name, which becomes a part of file names.
    pub(crate) fn baseline(name: &str) -> Result<Self> {
        let why = if name.is_empty() {
            "it is empty"
        } else if name.starts_with('.') {
            "it starts with a dot"
        } else if name.len() > 64 {
            "it is longer than 64 bytes"
        } else if name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
            return Ok(Self::Baseline(name.to_owned()));
        } else {
            "it would not make a file name"
        };
        Err(Error::BaselineName { name: name.to_owned(), why })
    }
}

impl Slot {
    /// The slot of this name on the command line: `@last`, `@old`, or that of a baseline.
    pub(crate) fn named(name: &str) -> Result<Self> {
        [Self::Latest, Self::Old]
            .into_iter()
            .find(|slot| slot.name() == name)
            .map_or_else(|| Self::baseline(name), Ok)
    }

    /// What the command line calls it. No baseline's name has an `@`.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Latest => "@last",
            Self::Old => "@old",
            Self::Baseline(name) => name,
        }
    }
}

/// What a file's name has before its extension.
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
            assert_eq!(Slot::named(slot.name()).unwrap(), slot);
        }
        assert!(Slot::named("@main").is_err());
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
