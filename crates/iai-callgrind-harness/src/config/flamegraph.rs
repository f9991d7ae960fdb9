//! Flamegraphs of callgrind's profiles.

use iai_callgrind_plan::metric::tool::EventKind;
use iai_callgrind_plan::{self as plan, Direction, FlamegraphKind};

use super::from_references;

/// Options for flamegraphs of callgrind's profiles: pictures, next to the profiles, of where a benchmark
/// spends its instructions or other events. The width of a frame is the inclusive cost of its function.
///
/// ```
/// use iai_callgrind::{Callgrind, FlamegraphConfig, FlamegraphKind, LibraryBenchmarkConfig};
///
/// LibraryBenchmarkConfig::default().tool(
///     Callgrind::default()
///         .flamegraph(FlamegraphConfig::default().kind(FlamegraphKind::Regular)),
/// );
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlamegraphConfig(plan::Flamegraph);

impl FlamegraphConfig {
    /// Sets the flamegraphs to make. The default is [`FlamegraphKind::All`].
    pub fn kind(&mut self, kind: FlamegraphKind) -> &mut Self {
        self.0.kind = Some(kind);
        self
    }

    /// Sets the metrics to make one flamegraph of each. The default is [`EventKind::Ir`].
    ///
    /// A metric that callgrind does not count is an error, and so is a percentage or a ratio, which has no sum to
    /// draw. A metric that is zero has no flamegraph. Without a metric there is none.
    ///
    /// ```
    /// use iai_callgrind::{EventKind, FlamegraphConfig};
    ///
    /// FlamegraphConfig::default().event_kinds([EventKind::Ir, EventKind::EstimatedCycles]);
    /// ```
    pub fn event_kinds<T>(&mut self, event_kinds: T) -> &mut Self
    where
        T: IntoIterator<Item = EventKind>,
    {
        self.0.event_kinds = Some(event_kinds.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the direction in which stacks grow. The default is [`Direction::TopToBottom`].
    pub fn direction(&mut self, direction: Direction) -> &mut Self {
        self.0.direction = Some(direction);
        self
    }

    /// Sets the title at the top. The default is the title of the benchmark.
    pub fn title(&mut self, title: String) -> &mut Self {
        self.0.title = Some(title);
        self
    }

    /// Sets the line below the title. The default names the metric and the compared results.
    pub fn subtitle(&mut self, subtitle: String) -> &mut Self {
        self.0.subtitle = Some(subtitle);
        self
    }

    /// Sets the smallest width of a frame in percent of the total. The cost of narrower frames stays in
    /// the frame that called them. The default is `0.01`; `0.0` draws all frames.
    pub fn min_width(&mut self, min_width: f64) -> &mut Self {
        self.0.min_width = Some(min_width.into());
        self
    }

    /// Draws differential flamegraphs with the widths of the old profile, which shows removed functions.
    /// The colours stay: red is more than before, blue is less. The default is `false`.
    pub fn negate_differential(&mut self, negate_differential: bool) -> &mut Self {
        self.0.negate_differential = Some(negate_differential);
        self
    }

    /// Scales the two profiles of a differential flamegraph to the same total, which shows functions
    /// with a larger or smaller share. The default is `false`.
    pub fn normalize_differential(&mut self, normalize_differential: bool) -> &mut Self {
        self.0.normalize_differential = Some(normalize_differential);
        self
    }
}

from_references!(FlamegraphConfig: &mut FlamegraphConfig);

impl From<FlamegraphConfig> for plan::Flamegraph {
    fn from(config: FlamegraphConfig) -> Self {
        config.0
    }
}
