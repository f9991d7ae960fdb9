//! Hard limits of metrics.

use iai_callgrind_plan as plan;
use iai_callgrind_plan::metric::MetricKind;

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
