//! Flamegraphs of callgrind's profiles.

use iai_callgrind_plan::metric::EventKind;
use iai_callgrind_plan::{self as plan, Direction, FlamegraphKind};

use super::from_references;

/// Has flamegraphs made of callgrind's profiles: pictures, in files beside the profiles, of where a
/// benchmark spends its instructions or other events. The width of a frame is what the function and all
/// that it called cost.
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
    /// Which flamegraphs are made. The default is [`FlamegraphKind::All`].
    pub fn kind(&mut self, kind: FlamegraphKind) -> &mut Self {
        self.0.kind = Some(kind);
        self
    }

    /// The metrics, for each of which there is a flamegraph. The default is [`EventKind::Ir`].
    ///
    /// Callgrind has to count them, and percentages have no sums that could be drawn: for both the run
    /// ends with an error. Of a metric that is zero there is no flamegraph.
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
        let names: Vec<_> = event_kinds.into_iter().map(EventKind::name).collect();
        self.0.event_kinds = Some(names.join(","));
        self
    }

    /// Which way stacks grow. The default is [`Direction::TopToBottom`].
    pub fn direction(&mut self, direction: Direction) -> &mut Self {
        self.0.direction = Some(direction);
        self
    }

    /// What stands at the top. The default is the title of the benchmark.
    pub fn title(&mut self, title: String) -> &mut Self {
        self.0.title = Some(title);
        self
    }

    /// What stands below the title. The default says what is counted, and what it is compared with.
    pub fn subtitle(&mut self, subtitle: String) -> &mut Self {
        self.0.subtitle = Some(subtitle);
        self
    }

    /// Leaves out frames that are narrower than this percentage of the whole; the frame that called
    /// them keeps their cost. The default is `0.01`. With `0.0` all are there, as far as a browser can
    /// show them.
    pub fn min_width(&mut self, min_width: f64) -> &mut Self {
        self.0.min_width = Some(min_width.to_string());
        self
    }

    /// Draws differential flamegraphs with the widths of the old profile instead of the new one, so that
    /// what is gone shows. The colours stay: red is more than before, blue is less. The default is
    /// `false`.
    pub fn negate_differential(&mut self, negate_differential: bool) -> &mut Self {
        self.0.negate_differential = Some(negate_differential);
        self
    }

    /// Scales the other profile of a differential flamegraph to the total of the one that is drawn, so
    /// that it shows what has a larger or a smaller share of the whole. The default is `false`.
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
