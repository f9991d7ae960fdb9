//! Reasons why there are no results.

use xtask::outcome::Outcome;

/// The reason why no results are there.
#[derive(Debug)]
pub(crate) enum Stop {
    /// This machine lacks something that can't be had.
    Missing(String),
    Failed(String),
}

impl From<String> for Stop {
    fn from(error: String) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for Outcome {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Missing(reason) => Self::Skipped(reason),
            Stop::Failed(error) => Self::Failed(vec![error]),
        }
    }
}
