//! Limits, in the syntax of the command line.

use std::fmt::{Display, Write};

use iai_callgrind_plan::metric::EventKind;

use super::{Callgrind, Tool, from_references};

/// A hard limit: the largest value that is allowed. Made of a whole number, or of one with a fraction for
/// a metric that is a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// For counts
    Int(u64),
    /// For rates, in percent
    Float(f64),
}

impl Display for Limit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(limit) => limit.fmt(formatter),
            Self::Float(limit) => limit.fmt(formatter),
        }
    }
}

// No other integers, so that a number in the source is one of these
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

/// Appends limits to the text that the runner parses.
pub(super) fn add<K, L, T>(text: &mut Option<String>, limits: T, unit: &str)
where
    K: Display,
    L: Display,
    T: IntoIterator<Item = (K, L)>,
{
    for (metric, limit) in limits {
        let text = text.get_or_insert_with(String::new);
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string can't fail
        let _ = write!(text, "{comma}{metric}={limit}{unit}");
    }
}

/// By how much a benchmark's metrics may exceed those of the run that it is compared with.
///
/// By default these are 10 % for the instructions. It is an older spelling of [`Callgrind::soft_limits`] and
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
    /// Sets limits in percent of the old value. A negative one is a limit for improvements: the new value
    /// must not fall below. With any of them the default no longer holds.
    pub fn limits<T>(&mut self, limits: T) -> &mut Self
    where
        T: IntoIterator<Item = (EventKind, f64)>,
    {
        self.limits.extend(limits);
        self
    }

    /// Whether the first benchmark that breaks a limit ends the run. The default is `false`.
    pub fn fail_fast(&mut self, value: bool) -> &mut Self {
        self.fail_fast = Some(value);
        self
    }
}

from_references!(RegressionConfig: &mut RegressionConfig);

impl From<RegressionConfig> for Tool {
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
    use super::*;

    fn limits(tool: impl Into<Tool>) -> Option<String> {
        tool.into().0.limits
    }

    #[test]
    fn limits_are_text() {
        let mut callgrind = Callgrind::default();
        assert_eq!(limits(&mut callgrind), None);
        callgrind.soft_limits([(EventKind::Ir, 5.5)]).hard_limits([(EventKind::L1HitRate, 99.5)]);
        callgrind.hard_limits([(EventKind::Ir, 1000)]);
        assert_eq!(limits(&mut callgrind).as_deref(), Some("Ir=5.5%,L1HitRate=99.5,Ir=1000"));
    }

    #[test]
    fn the_default_holds_as_long_as_there_are_no_others() {
        assert_eq!(limits(RegressionConfig::default()).as_deref(), Some("Ir=10%"));
        let mut config = RegressionConfig::default();
        config.limits([(EventKind::Dr, -2.0)]);
        assert_eq!(limits(config).as_deref(), Some("Dr=-2%"));
    }
}
