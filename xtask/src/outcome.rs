//! The outcome of a check.

use std::fmt;

/// The result of one check
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was wrong.
    Passed,
    /// With the command that repeats the failure or fixes it
    Failed(Vec<String>),
    /// With what this machine lacks
    Skipped(String),
}

impl Outcome {
    /// Returns the outcome of both. Failures are listed one after the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Failed(first), Self::Failed(second)) => Self::Failed([first, second].concat()),
            (failed @ Self::Failed(_), _) | (_, failed @ Self::Failed(_)) => failed,
            (skipped @ Self::Skipped(_), _) | (_, skipped @ Self::Skipped(_)) => skipped,
            (Self::Passed, Self::Passed) => Self::Passed,
        }
    }

    /// Returns true if something was wrong.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.pad("passed"),
            Self::Failed(_) => f.pad("FAILED"),
            Self::Skipped(_) => f.pad("skipped"),
        }
    }
}
