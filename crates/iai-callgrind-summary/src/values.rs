//! Values of a summary, their changes and limits.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Metrics by name: `Ir`, `L1hits`, `D1MissRate`, and the counters of the benchmark: `nodes visited`.
pub type Metrics = BTreeMap<String, Metric>;

/// A metric that was counted or computed from others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// Label of the metric: `Instructions`.
    pub label: String,
    /// Unit of the values.
    pub unit: Unit,
    /// New value; null if only the old result has one.
    pub new: Option<Value>,
    /// Old value; null if there is none.
    pub old: Option<Value>,
    /// Change of the value; null if there is only one.
    pub change: Option<Change>,
    /// `true` if the change is within the tolerance.
    pub tolerated: bool,
}

/// The unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// An integer.
    Count,
    /// A percentage.
    Percent,
    /// A number of instructions for each byte, element or bit, or a counter with a fraction.
    Ratio,
}

/// The value of a metric.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// An exact integer.
    Count(u64),
    /// A percentage or a ratio.
    Rate(f64),
}

/// The change of a value. An infinite number is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// `(new - old) / old * 100`; null if only the old value is zero.
    pub percentage: Option<f64>,
    /// `new / old` for an increase, `-(old / new)` for a decrease; null if only one of them is zero.
    pub factor: Option<f64>,
}

/// A limit of a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// Name of the metric.
    pub metric: String,
    /// Kind of the limit.
    pub kind: LimitKind,
    /// Value of the limit.
    pub value: LimitValue,
    /// Number of pairs of commits that the limit was learned from, which can be zero if there were layouts; null for a limit
    /// that was given.
    #[serde(default)]
    pub learned_from: Option<usize>,
    /// Number of layouts that the limit was learned from; null for a limit that was given.
    #[serde(default)]
    pub learned_from_layouts: Option<usize>,
}

/// The value of a limit, or of what exceeds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LimitValue {
    /// A number.
    Number(Value),
    /// A class of growth, such as `n log n`.
    Class(String),
}

/// The kind of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// Maximum increase in percent of the old value; a negative number requires a decrease.
    Soft,
    /// Maximum value.
    Hard,
    /// Worst class of the growth with the size of the input.
    Complexity,
    /// Maximum increase of the cost per element in percent of the old one.
    #[serde(rename = "per_element")]
    PerElement,
}

/// An exceeded limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// Exceeded limit.
    pub limit: Limit,
    /// Value that exceeds the limit. For a class that is not known, the reason.
    pub new: LimitValue,
    /// Old value, to which a soft limit refers.
    pub old: Option<Value>,
    /// Message in the terminal.
    pub message: String,
}

/// The spread of values in different runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The seed of each run; null for the randomness of the system.
    pub seeds: Vec<Option<u64>>,
    /// Ranges of the metrics by name.
    pub metrics: BTreeMap<String, Range>,
}

/// The range of a metric in different runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// Smallest value.
    pub minimum: Value,
    /// Median; the lower one for an even number of values.
    pub median: Value,
    /// Largest value.
    pub maximum: Value,
    /// Mean of all values; null in summaries of older versions.
    #[serde(default)]
    pub mean: Option<f64>,
    /// Standard deviation of the values from their mean, as an estimate of that of all possible runs; null in summaries of older
    /// versions.
    #[serde(default)]
    pub deviation: Option<f64>,
}

impl Value {
    /// Returns the nearest floating point number.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Rate(rate) => rate,
        }
    }
}

impl Range {
    /// Returns the difference of the largest and the smallest value.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.maximum.as_f64() - self.minimum.as_f64()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => formatter.pad(&count.to_string()),
            Self::Rate(rate) => formatter.pad(&rate.to_string()),
        }
    }
}
