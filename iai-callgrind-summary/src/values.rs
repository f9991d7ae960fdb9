//! The values of a summary, how they changed, and the limits that they are held against.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Metrics by their names: `Ir`, `L1hits`, `D1MissRate`
pub type Metrics = BTreeMap<String, Metric>;

/// A metric that was counted, or computed of others
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// The words for it: `Instructions`
    pub label: String,
    /// What the numbers mean
    pub unit: Unit,
    /// The new value; null if only the old result has one
    pub new: Option<Value>,
    /// The old value; null if there is none
    pub old: Option<Value>,
    /// How they differ; null if there is only one
    pub change: Option<Change>,
    /// Whether they differ by no more than the tolerance that the user gave
    pub tolerated: bool,
}

/// What the number of a metric means
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// A whole number of what the metric is named after
    Count,
    /// A share in percent
    Percent,
}

/// The value of a metric
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Value {
    /// A whole number, exact
    Count(u64),
    /// A share in percent
    Rate(f64),
}

/// How a new value differs from the old one. A number that would be infinite is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// `(new - old) / old * 100`; null if only the old value is zero
    pub percentage: Option<f64>,
    /// `new / old` if it grew, `-(old / new)` if it shrank; null if only one of them is zero
    pub factor: Option<f64>,
}

/// A limit of a metric
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Limit {
    /// The metric's name
    pub metric: String,
    /// What the number means
    pub kind: LimitKind,
    /// The number
    pub value: Value,
}

/// What the number of a limit means
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// By how many percent of the old value the metric may exceed it; a negative number is a limit for
    /// improvements
    Soft,
    /// The largest value
    Hard,
}

/// A limit that was broken
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Regression {
    /// The limit
    pub limit: Limit,
    /// The value that breaks it
    pub new: Value,
    /// The value that a soft limit refers to
    pub old: Option<Value>,
    /// The words that the terminal has for it
    pub message: String,
}

/// How far values lie apart under different seeds
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Spread {
    /// The seeds; null stands for the system's randomness
    pub seeds: Vec<Option<u64>>,
    /// The metrics by their names
    pub metrics: BTreeMap<String, Range>,
}

/// What a metric is under different seeds
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// The smallest value
    pub minimum: Value,
    /// The value in the middle; of an even number of values the smaller one of the two
    pub median: Value,
    /// The largest value
    pub maximum: Value,
}

impl Value {
    /// The nearest floating point number
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Rate(rate) => rate,
        }
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
