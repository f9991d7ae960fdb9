//! The outcome of a check.

use std::fmt;

/// The result of one check
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    /// With what to type to see the failure again, or to mend it
    Failed(Vec<String>),
    /// With what this machine lacks
    Skipped(String),
}

impl Outcome {
    pub(crate) fn is_failure(&self) -> bool {
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
