//! Amounts that belong to a benchmark's result and that no tool counts.

use crate::json::json_struct;
use crate::{Counter, Throughput};

/// The amounts of one result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(default))]
pub struct Amounts {
    /// Amount of data that the benchmark processed.
    pub throughput: Option<Throughput>,
    /// Counters in the order of their first report.
    pub counters: Vec<Counter>,
    /// Size of the input, see [`Case::size`](crate::Case::size).
    pub size: Option<i64>,
    /// Growth curve that the result is a point of, see [`Case::curve`](crate::Case::curve).
    pub curve: Option<String>,
    /// Text that the benchmark sets about itself.
    pub label: Option<String>,
}

json_struct!(Amounts { throughput, counters, size, curve, label });
