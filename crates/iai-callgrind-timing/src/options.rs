//! The time for each benchmark.

use std::time::Duration;

/// The time of a case in one round.
pub(super) const SLICE: Duration = Duration::from_millis(200);

/// A turn is at most this fraction of the budget.
const PARTS: u32 = 8;

/// The most rounds. The distribution of the ranks of more pairs would take longer than to measure them.
const MOST_ROUNDS: u32 = 1000;

/// The time for a benchmark.
#[derive(Debug, Clone, Copy)]
pub struct TimeOptions {
    /// The time for each benchmark, on all sides together.
    pub budget: Duration,
    /// The benchmark is done when the interval of the ratio is within this much, as a part of one, to both sides.
    pub precision: Option<f64>,
}

impl TimeOptions {
    /// Returns the options for one of several parts of the time.
    #[must_use]
    pub fn of_part(self, parts: usize) -> Self {
        let parts = u32::try_from(parts).unwrap_or(u32::MAX).max(1);
        Self { budget: self.budget / parts, ..self }
    }

    /// Returns the time of a case in one round.
    pub fn slice(&self) -> Duration {
        self.slice_after(Duration::ZERO)
    }

    /// Returns the time of a case in the next round, if the last one took this much besides for each case.
    pub(super) fn slice_after(&self, between: Duration) -> Duration {
        SLICE.max(between).min(self.budget / PARTS).max(self.budget / MOST_ROUNDS)
    }
}
