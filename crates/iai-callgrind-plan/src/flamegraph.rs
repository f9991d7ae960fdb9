//! The configuration of flamegraphs.

use crate::Percentage;
use crate::json::{json_enum, json_struct};
use crate::metric::MetricKind;

/// Flamegraphs of a benchmark's profiles. A field that is `None` inherits the value of the level
/// above.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Flamegraph {
    /// Kinds of flamegraphs to make; all by default.
    pub kind: Option<FlamegraphKind>,
    /// Metrics to make one flamegraph of each.
    pub event_kinds: Option<Vec<MetricKind>>,
    /// Direction in which stacks grow.
    pub direction: Option<Direction>,
    /// Title above the flamegraph.
    pub title: Option<String>,
    /// Line below the title.
    pub subtitle: Option<String>,
    /// Smallest width of a frame, in percent of the total.
    pub min_width: Option<Percentage>,
    /// Draw a differential flamegraph with the widths of the old profile.
    pub negate_differential: Option<bool>,
    /// Compare shares of the total in a differential flamegraph.
    pub normalize_differential: Option<bool>,
}

/// A choice of flamegraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum FlamegraphKind {
    /// One of the new profile.
    Regular,
    /// A flamegraph of the new profile, with colours for the changes since the old one. Without an
    /// old profile there is none.
    Differential,
    /// Both.
    All,
    /// None.
    None,
}

/// The direction in which the stacks of a flamegraph grow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Direction {
    /// Downwards: the benchmark function is at the top.
    #[default]
    TopToBottom,
    /// Upwards: the benchmark function is at the bottom.
    BottomToTop,
}

impl Flamegraph {
    /// Overrides this with a more specific level.
    pub fn update(&mut self, lower: Self) {
        self.kind = lower.kind.or(self.kind);
        self.event_kinds = lower.event_kinds.or(self.event_kinds.take());
        self.direction = lower.direction.or(self.direction);
        self.title = lower.title.or(self.title.take());
        self.subtitle = lower.subtitle.or(self.subtitle.take());
        self.min_width = lower.min_width.or(self.min_width);
        self.negate_differential = lower.negate_differential.or(self.negate_differential);
        self.normalize_differential = lower.normalize_differential.or(self.normalize_differential);
    }
}

json_struct!(Flamegraph {
    kind,
    event_kinds,
    direction,
    title,
    subtitle,
    min_width,
    negate_differential,
    normalize_differential
});
json_enum!(FlamegraphKind { Regular, Differential, All, None });
json_enum!(Direction { TopToBottom, BottomToTop });
