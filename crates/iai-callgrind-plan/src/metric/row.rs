//! The columns of the table of metrics.

use super::{MetricKind, Metrics};
use crate::Throughput;

/// A row of the table, without what only pages and selections need.
pub(super) struct Row {
    /// The metric's name, and its aliases.
    pub(super) names: &'static [&'static str],
    pub(super) label: &'static str,
    pub(super) by_default: bool,
    pub(super) unit: Unit,
    pub(super) better: Direction,
    pub(super) layout: LayoutEffect,
    pub(super) source: Source,
}

/// The unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number of events, bytes or the like.
    Count,
    /// A part of others, in percent.
    Percent,
    /// A number for each unit of an amount.
    Ratio,
}

/// The better values of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Lower,
    Higher,
}

/// The effect of the places of code and data on a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayoutEffect {
    /// None: the metric depends on what is executed only.
    None,
    /// An effect without a known size.
    Any,
    /// A few accesses to memory more or less, each of which adds this much.
    PerAccess(u64),
}

/// The origin of a metric's values.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// The tool counts an event that has this name in its files.
    Event,
    /// The tool reports it in another form.
    Reported,
    /// The calls in the tool's file are counted.
    Calls,
    /// The sum of other metrics.
    Sum(&'static [MetricKind]),
    /// A formula computes it; `None` if an event of the formula was not counted.
    Formula(fn(&Metrics) -> Option<u64>),
    /// A sum of metrics as a part of another sum.
    Share(&'static [MetricKind], &'static [MetricKind]),
    /// The instructions divided by this amount of the benchmark's throughput.
    PerUnit(fn(Throughput) -> Option<u64>),
    /// The benchmark reports it.
    Counter,
}

/// The groups by which several metrics are selected at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricGroup {
    /// Misses of the simulated caches.
    CacheMisses,
    /// Misses in percent.
    CacheMissRates,
    /// Accesses by the level that answers them.
    CacheHits,
    /// The same in percent.
    CacheHitRates,
    /// All metrics of the simulated caches.
    CacheSim,
    /// Use of cache lines.
    CacheUse,
    /// System calls and their time.
    SystemCalls,
    /// Branches and jumps.
    BranchSim,
    /// Misses with a line that is written back.
    WriteBackBehaviour,
    /// Memory that is not freed.
    Leaks,
}

/// The groups of metrics on pages, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageGroup {
    /// Instructions and cycles.
    Execution,
    /// Accesses to memory, by the level that answers them.
    Accesses,
    /// Accesses that miss a level.
    Misses,
    /// Hits and misses in percent.
    Shares,
    /// Branches and jumps.
    Branches,
    /// System calls and atomic instructions.
    System,
    /// Memory on the heap.
    Heap,
    /// Use of cache lines.
    Lines,
    /// All others, and counters.
    Others,
}

impl PageGroup {
    /// Returns the title of the group.
    #[must_use]
    #[inline]
    pub fn title(self) -> &'static str {
        match self {
            Self::Execution => "Execution",
            Self::Accesses => "Memory accesses",
            Self::Misses => "Cache misses",
            Self::Shares => "Shares of accesses",
            Self::Branches => "Branches",
            Self::System => "System calls and atomics",
            Self::Heap => "Heap",
            Self::Lines => "Use of cache lines",
            Self::Others => "Counts",
        }
    }
}

/// The place and the name of a metric on pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageName {
    /// The group.
    pub group: PageGroup,
    /// The place in the group, before the order of the table.
    pub place: u8,
    /// The name in words.
    pub words: &'static str,
}
