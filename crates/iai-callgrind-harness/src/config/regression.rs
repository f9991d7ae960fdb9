//! Soft limits of callgrind's metrics, in an older spelling.

use iai_callgrind_plan::metric::tool::EventKind;

use super::{Callgrind, Tool, from_references};

/// Limits for the increase of metrics since the run that a benchmark is compared with.
///
/// The default is 10 % for the instructions. This is an older spelling of [`Callgrind::soft_limits`] and
/// [`Callgrind::fail_fast`].
///
/// ```
/// use iai_callgrind::{EventKind, LibraryBenchmarkConfig, RegressionConfig};
///
/// LibraryBenchmarkConfig::default()
///     .regression(RegressionConfig::default().limits([(EventKind::Ir, 5.0)]));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegressionConfig {
    limits: Vec<(EventKind, f64)>,
    fail_fast: Option<bool>,
}

impl RegressionConfig {
    /// Adds limits in percent of the old value, which replace the default. A negative one is a limit for
    /// improvements: the new value must not fall below.
    pub fn limits<T>(&mut self, limits: T) -> &mut Self
    where
        T: IntoIterator<Item = (EventKind, f64)>,
    {
        self.limits.extend(limits);
        self
    }

    /// Ends the run at the first benchmark that breaks a limit. The default is `false`.
    pub fn fail_fast(&mut self, value: bool) -> &mut Self {
        self.fail_fast = Some(value);
        self
    }
}

from_references!(RegressionConfig: &mut RegressionConfig);

impl From<RegressionConfig> for Tool {
    #[inline]
    fn from(config: RegressionConfig) -> Self {
        let mut callgrind = Callgrind::default();
        let limits =
            if config.limits.is_empty() { vec![(EventKind::Ir, 10.0)] } else { config.limits };
        callgrind.soft_limits(limits);
        if let Some(fail_fast) = config.fail_fast {
            callgrind.fail_fast(fail_fast);
        }
        callgrind.into()
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan as plan;
    use iai_callgrind_plan::metric::MetricKind;
    use iai_callgrind_plan::metric::tool::{CallgrindMetrics, ErrorMetrics};

    use super::*;
    use crate::config::Helgrind;
    use crate::config::tool::AnyTool;

    fn limits(tool: impl Into<Tool>) -> Vec<(MetricKind, plan::Limit)> {
        match tool.into().0 {
            AnyTool::Valgrind(tool) => tool.limits,
            AnyTool::Perf(_) => Vec::new(),
        }
    }

    fn soft(percentage: f64) -> plan::Limit {
        plan::Limit::Soft { change: percentage.into() }
    }

    #[test]
    fn limits_come_in_the_order_of_the_calls() {
        let mut callgrind = Callgrind::default();
        assert_eq!(limits(&mut callgrind), []);
        callgrind.soft_limits([(CallgrindMetrics::CacheHits, 5.5)]);
        callgrind.hard_limits([(EventKind::L1HitRate, 99.5)]).hard_limits([(EventKind::Ir, 1000)]);
        let expected = [
            (MetricKind::L1hits, soft(5.5)),
            (MetricKind::LLhits, soft(5.5)),
            (MetricKind::RamHits, soft(5.5)),
            (MetricKind::L1HitRate, plan::Limit::Rate { value: 99.5.into() }),
            (MetricKind::Ir, plan::Limit::Count { value: 1000 }),
        ];
        assert_eq!(limits(&mut callgrind), expected);
    }

    #[test]
    fn all_metrics_are_those_of_the_tool() {
        let mut helgrind = Helgrind::default();
        helgrind.soft_limits([(ErrorMetrics::All, 1.0)]);
        assert_eq!(limits(&mut helgrind).len(), 4);
    }

    #[test]
    fn other_limits_replace_the_default() {
        assert_eq!(limits(RegressionConfig::default()), [(MetricKind::Ir, soft(10.0))]);
        let mut config = RegressionConfig::default();
        config.limits([(EventKind::Dr, -2.0)]);
        assert_eq!(limits(config), [(MetricKind::Dr, soft(-2.0))]);
    }
}
