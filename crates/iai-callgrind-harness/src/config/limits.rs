//! Limits of metrics.

use iai_callgrind_plan as plan;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::metric::tool::EventKind;

use super::{Callgrind, LibraryBenchmarkConfig, Tool, from_references};

/// A hard limit: the largest allowed value. It is a whole number, or a number with a fraction for a metric
/// that is a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A limit for counts.
    Int(u64),
    /// A limit for rates, in percent, for instructions per byte, element or bit, and for counters with a fraction.
    Float(f64),
}

// No other integers, so that the compiler can infer the type of a number
impl From<u64> for Limit {
    fn from(limit: u64) -> Self {
        Self::Int(limit)
    }
}

impl From<f64> for Limit {
    fn from(limit: f64) -> Self {
        Self::Float(limit)
    }
}

impl From<Limit> for plan::Limit {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Int(value) => Self::Count { value },
            Limit::Float(value) => Self::Rate { value: value.into() },
        }
    }
}

/// Sets the limit of a metric, which replaces an earlier one.
pub(crate) fn set_limit<T>(limits: &mut Vec<(MetricKind, T)>, metric: MetricKind, limit: T) {
    limits.retain(|(earlier, _)| *earlier != metric);
    limits.push((metric, limit));
}

/// Limits of counters.
impl LibraryBenchmarkConfig {
    /// Adds soft limits of values that benchmarks report with [`counter`](crate::counter()): the largest increase in percent
    /// of the old value. A negative percentage is the largest decrease, for counters of which more is better.
    ///
    /// The limits of a level replace those of the levels above, hard ones too. Of two for the same counter the last one
    /// wins.
    ///
    /// ```
    /// use iai_callgrind::LibraryBenchmarkConfig;
    ///
    /// LibraryBenchmarkConfig::default()
    ///     .counter_soft_limits([("nodes visited", 5.0), ("compression ratio", -1.0)])
    ///     .counter_hard_limits([("nodes visited", 10_000)]);
    /// ```
    pub fn counter_soft_limits<K, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        T: IntoIterator<Item = (K, f64)>,
    {
        let limit = |(name, percentage): (K, f64)| {
            (name.into(), plan::Limit::Soft { change: percentage.into() })
        };
        self.0.counter_limits.extend(limits.into_iter().map(limit));
        self
    }

    /// Adds hard limits of counters: the largest value, whatever the old value is. They are in addition to soft ones, see
    /// [`Self::counter_soft_limits`].
    pub fn counter_hard_limits<K, L, T>(&mut self, limits: T) -> &mut Self
    where
        K: Into<String>,
        L: Into<Limit>,
        T: IntoIterator<Item = (K, L)>,
    {
        let limit = |(name, limit): (K, L)| (name.into(), limit.into().into());
        self.0.counter_limits.extend(limits.into_iter().map(limit));
        self
    }
}

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
        let mut tool = Self::from(callgrind);
        tool.0.fail_fast = config.fail_fast;
        tool
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::tool::{CallgrindMetrics, ErrorMetrics};

    use super::*;
    use crate::config::Helgrind;

    fn limits(tool: impl Into<Tool>) -> Vec<(MetricKind, plan::Limit)> {
        tool.into().0.limits
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
    fn counters_have_limits_by_name() {
        let mut config = LibraryBenchmarkConfig::default();
        config.counter_soft_limits([("ratio", -1.0)]).counter_hard_limits([("nodes", 1000)]);
        config.counter_hard_limits(vec![("ratio".to_owned(), 9.5)]);
        let expected = [
            ("ratio".to_owned(), soft(-1.0)),
            ("nodes".to_owned(), plan::Limit::Count { value: 1000 }),
            ("ratio".to_owned(), plan::Limit::Rate { value: 9.5.into() }),
        ];
        assert_eq!(config.0.counter_limits, expected);
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
