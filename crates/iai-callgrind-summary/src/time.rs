//! The time of a benchmark.

use serde::{Deserialize, Serialize};

/// The time of a call, measured without Valgrind, and its difference from that of another revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Time {
    /// Time of a call in nanoseconds.
    pub new: Times,
    /// Time of a call of the other side in nanoseconds, or the stored one that this time is shown with; null without either.
    pub old: Option<Times>,
    /// The start of the run that measured a stored old time, in UTC; null if both sides were measured at once. Only these
    /// have a ratio.
    #[serde(default)]
    pub old_measured: Option<String>,
    /// The new time divided by the old one; null without the other revision.
    pub ratio: Option<Times>,
    /// Verdict by the ratio of the time that passes; null without the other revision.
    pub verdict: Option<TimeVerdict>,
    /// Limit that the whole interval is beyond, in percent of the old time; null if there is none.
    #[serde(default)]
    pub exceeded_limit: Option<f64>,
    /// Number of processes on each side. A process of each side runs at the same time.
    pub processes: u64,
    /// Number of layouts on each side, of which each is one observation; null if all processes of a side have the same layout.
    #[serde(default)]
    pub layouts: Option<u64>,
    /// Number of samples on each side, each of them in a process that was copied from one of these.
    pub samples: u64,
    /// Number of calls between two readings of the clock.
    pub calls: u64,
    /// The observations: the new time divided by the old one in each pair of processes or layouts; without another side, the
    /// time of a call in each process, in nanoseconds. Empty in summaries of older versions.
    #[serde(default)]
    pub observations: Vec<f64>,
    /// Amounts of data that the benchmark processes in a second, by the estimate of the new time that passes; empty without a
    /// throughput.
    #[serde(default)]
    pub rates: Vec<Rate>,
}

/// An amount of data in a second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rate {
    /// Unit of the amount.
    pub unit: RateUnit,
    /// Amount in a second.
    pub per_second: f64,
}

/// The unit of an amount of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RateUnit {
    /// Elements.
    Elements,
    /// Bytes.
    Bytes,
    /// Bits.
    Bits,
}

/// The time that passes, and that of all threads on a CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Times {
    /// Time that passes.
    pub wall: Estimate,
    /// Time of all threads on a CPU; null if its clock did not advance, such as in a process that only waits.
    pub cpu: Option<Estimate>,
}

/// A value with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Estimate {
    /// The Hodges-Lehmann estimate over all processes.
    pub value: f64,
    /// Lower end of the interval; null with fewer than six processes or layouts.
    pub low: Option<f64>,
    /// Upper end of the interval; null with fewer than six processes or layouts.
    pub high: Option<f64>,
}

/// The verdict by the ratio of two times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TimeVerdict {
    /// The new side takes less time, also if all benchmarks of the run are considered.
    Faster,
    /// The new side takes more time, also if all benchmarks of the run are considered.
    Slower,
    /// The interval contains one, or the difference is less than 0.1 % or than 0.3 ns in a call.
    NoDifference,
    /// The interval does not contain one, but among so many benchmarks this can be chance.
    Chance,
    /// There are too few processes for an interval.
    TooFewProcesses,
}
