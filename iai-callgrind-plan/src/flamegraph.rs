//! What a level configures of flamegraphs.

use nanoserde::SerJson;

/// Flamegraphs of a benchmark's profiles. What is `None` is left to the level above.
#[derive(Debug, Clone, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Flamegraph {
    /// Which ones are made; all, if no level says it.
    pub kind: Option<FlamegraphKind>,
    /// The metrics that one is made for each of, as in `ir,estimatedcycles`.
    pub event_kinds: Option<String>,
    /// Which way stacks grow.
    pub direction: Option<Direction>,
    /// What stands above it.
    pub title: Option<String>,
    /// What stands below the title.
    pub subtitle: Option<String>,
    /// Frames that are narrower than this percentage are left out.
    pub min_width: Option<String>,
    /// Whether a differential one is as wide as the old profile.
    pub negate_differential: Option<bool>,
    /// Whether a differential one compares shares of the total.
    pub normalize_differential: Option<bool>,
}

/// Which flamegraphs are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum FlamegraphKind {
    /// One of the new profile
    Regular,
    /// One of the new profile that shows in colours what changed since the one that it is compared with;
    /// none if there is nothing to compare with
    Differential,
    /// Both
    All,
    /// None
    None,
}

/// Which way the stacks of a flamegraph grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, SerJson)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Direction {
    /// Downwards: the benchmark function is at the top
    #[default]
    TopToBottom,
    /// Upwards: the benchmark function is at the bottom
    BottomToTop,
}

impl Flamegraph {
    /// Puts a lower level on top of this one.
    pub fn update(&mut self, lower: Self) {
        self.kind = lower.kind.or(self.kind);
        self.event_kinds = lower.event_kinds.or(self.event_kinds.take());
        self.direction = lower.direction.or(self.direction);
        self.title = lower.title.or(self.title.take());
        self.subtitle = lower.subtitle.or(self.subtitle.take());
        self.min_width = lower.min_width.or(self.min_width.take());
        self.negate_differential = lower.negate_differential.or(self.negate_differential);
        self.normalize_differential = lower.normalize_differential.or(self.normalize_differential);
    }
}
