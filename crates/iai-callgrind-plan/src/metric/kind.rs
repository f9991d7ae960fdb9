//! The table of metrics: a row for each, and nothing about one anywhere else.

use std::fmt;

use super::derived;
use super::row::{Direction, LayoutEffect, MetricGroup, PageGroup, PageName, Row, Source, Unit};
use crate::json::{self, Json, List, Object};
use crate::{CounterName, Throughput};

/// Makes the enum of all metrics, those of each tool, the lists and the table from the same rows.
macro_rules! metrics {
    ($(
        $(#[$about:meta])+
        $tool:ident $list:ident {
            $($(#[doc = $doc:tt])+ $kind:ident $names:tt, $label:literal, $shown:ident, $unit:ident, $better:ident, $layout:ident,
                $source:expr, $page:ident $place:literal $words:literal, [$($group:ident)*];)+
        }
    )+) => {
        /// A metric of any tool: an event that the tool counts, or a value computed from several.
        ///
        /// The order is that of the table, in which metrics are printed unless the user asks for another.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        pub enum MetricKind {
            $($($(#[doc = $doc])+ $kind,)+)+
            /// A counter, which the benchmark reports. It is not in the table.
            #[cfg_attr(feature = "serde", serde(deserialize_with = "json::only"))]
            Counter(CounterName),
        }

        impl MetricKind {
            /// All metrics of the tools, in the order of the table.
            pub const ALL: &'static [Self] = &[$($(Self::$kind),+),+];
            $(
                #[doc = concat!("All of [`", stringify!($tool), "`], in the order of the table.")]
                pub const $list: &'static [Self] = &[$(Self::$kind),+];
            )+

            #[inline]
            fn row(self) -> &'static Row {
                match self {
                    $($(Self::$kind => &Row {
                        names: &$names,
                        label: $label,
                        by_default: cell!($shown),
                        unit: cell!($unit),
                        better: cell!($better),
                        layout: cell!($layout),
                        source: $source,
                    },)+)+
                    Self::Counter(_) => &COUNTER,
                }
            }

            /// Returns the groups by which it is selected.
            #[inline]
            pub(super) fn groups(self) -> &'static [MetricGroup] {
                match self {
                    $($(Self::$kind => &[$(MetricGroup::$group),*],)+)+
                    Self::Counter(_) => &[],
                }
            }

            /// Returns its place and name on pages; `None` for a counter.
            #[must_use]
            #[inline]
            pub fn on_pages(self) -> Option<PageName> {
                match self {
                    $($(Self::$kind => {
                        Some(PageName { group: PageGroup::$page, place: $place, words: $words })
                    })+)+
                    Self::Counter(_) => None,
                }
            }
        }

        $(tool_metrics! { $(#[$about])+ $tool { $($(#[doc = $doc])+ $kind;)+ } })+
    };
}

/// Makes the enum of a tool's metrics.
macro_rules! tool_metrics {
    ($(#[$about:meta])+ $tool:ident { $($(#[$doc:meta])+ $kind:ident;)+ }) => {
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $tool {
            $($(#[$doc])+ $kind,)+
        }

        impl From<$tool> for MetricKind {
            #[inline]
            fn from(metric: $tool) -> Self {
                match metric {
                    $($tool::$kind => Self::$kind,)+
                }
            }
        }
    };
}

/// Makes the enum and the list of cachegrind's metrics, which are also callgrind's.
macro_rules! cachegrind_metrics {
    ($($kind:ident)+) => {
        tool_metrics! {
            /// A metric of cachegrind.
            CachegrindMetric {
                $(#[doc = concat!("The same as [`EventKind::", stringify!($kind), "`].")] $kind;)+
            }
        }

        impl MetricKind {
            /// All of [`CachegrindMetric`], in the order of the table.
            pub const CACHEGRIND: &'static [Self] = &[$(Self::$kind),+];
        }
    };
}

/// Translates a word of a row to its value.
macro_rules! cell {
    (shown) => {
        true
    };
    (hidden) => {
        false
    };
    (count) => {
        Unit::Count
    };
    (percent) => {
        Unit::Percent
    };
    (ratio) => {
        Unit::Ratio
    };
    (lower) => {
        Direction::Lower
    };
    (higher) => {
        Direction::Higher
    };
    (code) => {
        LayoutEffect::None
    };
    (layout) => {
        LayoutEffect::Any
    };
    (access) => {
        LayoutEffect::PerAccess(1)
    };
    (cycles) => {
        LayoutEffect::PerAccess(derived::CYCLES_OF_A_MISS)
    };
}

/// The row of all counters. Their names are not known.
const COUNTER: Row = Row {
    names: &[],
    label: "",
    by_default: true,
    unit: Unit::Count,
    better: Direction::Lower,
    layout: LayoutEffect::None,
    source: Source::Counter,
};

/// Writes the name of the variant, or of the counter.
impl Json for MetricKind {
    fn write(&self, out: &mut String) {
        match self {
            Self::Counter(name) => Object(&[("Counter", &List(&[name]))]).write(out),
            other => json::string(out, &format!("{other:?}")),
        }
    }
}

use MetricKind::{
    D1mr, D1mw, DLmr, DLmw, Dr, Dw, I1mr, ILmr, Ir, L1hits, LLhits, RamHits, TotalRW,
};
use Source::{Calls, Event, Formula, PerUnit, Reported, Share, Sum};

metrics! {
    /// A metric of callgrind.
    EventKind CALLGRIND {
        /// Instructions executed.
        Ir ["Ir"], "Instructions", shown, count, lower, code, Event,
            Execution 0 "Instructions", [];
        /// Reads of data.
        Dr ["Dr"], "Dr", hidden, count, lower, code, Event,
            Accesses 1 "Data reads", [CacheSim];
        /// Writes of data.
        Dw ["Dw"], "Dw", hidden, count, lower, code, Event,
            Accesses 1 "Data writes", [CacheSim];
        /// Instruction fetches that missed the first-level instruction cache.
        I1mr ["I1mr"], "I1mr", hidden, count, lower, access, Event,
            Misses 0 "Instructions, first level", [CacheMisses CacheSim];
        /// Reads that missed the first-level data cache.
        D1mr ["D1mr"], "D1mr", hidden, count, lower, access, Event,
            Misses 0 "Data reads, first level", [CacheMisses CacheSim];
        /// Writes that missed the first-level data cache.
        D1mw ["D1mw"], "D1mw", hidden, count, lower, access, Event,
            Misses 0 "Data writes, first level", [CacheMisses CacheSim];
        /// Instruction fetches that missed the last-level cache.
        ILmr ["ILmr"], "ILmr", hidden, count, lower, access, Event,
            Misses 0 "Instructions, last level", [CacheMisses CacheSim];
        /// Reads of data that missed the last-level cache.
        DLmr ["DLmr"], "DLmr", hidden, count, lower, access, Event,
            Misses 0 "Data reads, last level", [CacheMisses CacheSim];
        /// Writes of data that missed the last-level cache.
        DLmw ["DLmw"], "DLmw", hidden, count, lower, access, Event,
            Misses 0 "Data writes, last level", [CacheMisses CacheSim];
        /// Instruction fetches that missed the first level, in percent: `I1mr / Ir`.
        ///
        /// This and the other miss rates are those that cachegrind prints at its end (manual, 5.2.1
        /// "Running Cachegrind").
        I1MissRate ["I1MissRate"], "I1 Miss Rate", hidden, percent, lower, layout, Share(&[I1mr], &[Ir]),
            Shares 1 "Instructions that miss the first level", [CacheMissRates CacheSim];
        /// Instruction fetches that missed the last level, in percent: `ILmr / Ir`.
        LLiMissRate ["LLiMissRate"], "LLi Miss Rate", hidden, percent, lower, layout, Share(&[ILmr], &[Ir]),
            Shares 2 "Instructions that miss the last level", [CacheMissRates CacheSim];
        /// Accesses to data that missed the first level, in percent: `(D1mr + D1mw) / (Dr + Dw)`.
        D1MissRate ["D1MissRate"], "D1 Miss Rate", hidden, percent, lower, layout, Share(&[D1mr, D1mw], &[Dr, Dw]),
            Shares 1 "Data that misses the first level", [CacheMissRates CacheSim];
        /// Accesses to data that missed the last level, in percent: `(DLmr + DLmw) / (Dr + Dw)`.
        LLdMissRate ["LLdMissRate"], "LLd Miss Rate", hidden, percent, lower, layout, Share(&[DLmr, DLmw], &[Dr, Dw]),
            Shares 2 "Data that misses the last level", [CacheMissRates CacheSim];
        /// Accesses that missed the last level, in percent of all accesses, not of those that missed
        /// the first level: `(ILmr + DLmr + DLmw) / (Ir + Dr + Dw)`.
        LLMissRate ["LLMissRate"], "LL Miss Rate", hidden, percent, lower, layout, Share(&[ILmr, DLmr, DLmw], &[Ir, Dr, Dw]),
            Shares 2 "All that misses the last level", [CacheMissRates CacheSim];
        /// Accesses that the first-level caches answered, instruction fetches included:
        /// `TotalRW - RamHits - LLhits`.
        L1hits ["L1hits"], "L1 Hits", shown, count, lower, layout, Formula(derived::l1_hits),
            Accesses 1 "Answered by the first level", [CacheHits CacheSim];
        /// Accesses that the last-level cache answered: `I1mr + D1mr + D1mw - RamHits`.
        ///
        /// The label is `L2 Hits`, because there are two levels.
        LLhits ["LLhits", "L2hits"], "L2 Hits", shown, count, lower, access, Formula(derived::ll_hits),
            Accesses 1 "Answered by the last level", [CacheHits CacheSim];
        /// Accesses that no cache answered: `ILmr + DLmr + DLmw`.
        RamHits ["RamHits"], "RAM Hits", shown, count, lower, access, Sum(&[ILmr, DLmr, DLmw]),
            Accesses 1 "Answered by RAM", [CacheHits CacheSim];
        /// Accesses that the first level answered, in percent: `L1hits / TotalRW`.
        ///
        /// The three hit rates add up to 100.
        L1HitRate ["L1HitRate"], "L1 Hit Rate", hidden, percent, higher, layout, Share(&[L1hits], &[TotalRW]),
            Shares 0 "Answered by the first level", [CacheHitRates CacheSim];
        /// Accesses that the last level answered, in percent: `LLhits / TotalRW`.
        LLHitRate ["LLHitRate"], "LL Hit Rate", hidden, percent, lower, layout, Share(&[LLhits], &[TotalRW]),
            Shares 0 "Answered by the last level", [CacheHitRates CacheSim];
        /// Accesses that no cache answered, in percent: `RamHits / TotalRW`.
        RamHitRate ["RamHitRate"], "RAM Hit Rate", hidden, percent, lower, layout, Share(&[RamHits], &[TotalRW]),
            Shares 0 "Answered by RAM", [CacheHitRates CacheSim];
        /// All accesses to memory: `Ir + Dr + Dw`.
        TotalRW ["TotalRW"], "Total read+write", shown, count, lower, code, Sum(&[Ir, Dr, Dw]),
            Accesses 0 "All accesses", [CacheSim];
        /// CPU cycles as Itamar Turner-Trauring estimates them: `L1hits + 5 * LLhits + 35 * RamHits`
        /// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>).
        EstimatedCycles ["EstimatedCycles"], "Estimated Cycles", shown, count, lower, cycles, Formula(derived::estimated_cycles),
            Execution 0 "Estimated cycles", [CacheSim];
        /// Instructions for each byte of the benchmark's [throughput](crate::Throughput).
        IrPerByte ["IrPerByte"], "Ir per byte", shown, ratio, lower, code, PerUnit(Throughput::bytes),
            Execution 0 "Instructions per byte", [];
        /// Instructions for each element of the benchmark's [throughput](crate::Throughput).
        IrPerElement ["IrPerElement"], "Ir per element", shown, ratio, lower, code, PerUnit(Throughput::elements),
            Execution 0 "Instructions per element", [];
        /// Instructions for each bit of the benchmark's [throughput](crate::Throughput).
        IrPerBit ["IrPerBit"], "Ir per bit", shown, ratio, lower, code, PerUnit(Throughput::bits),
            Execution 0 "Instructions per bit", [];
        /// System calls (`--collect-systime=yes`).
        SysCount ["sysCount"], "SysCount", hidden, count, lower, code, Event,
            System 0 "System calls", [SystemCalls];
        /// Elapsed time in system calls, in the unit of `--collect-systime`: milliseconds for
        /// `yes` and `msec`, microseconds for `usec`, nanoseconds for `nsec`.
        SysTime ["sysTime"], "SysTime", hidden, count, lower, code, Event,
            System 0 "Time in system calls", [SystemCalls];
        /// CPU time in system calls, in nanoseconds (`--collect-systime=nsec`).
        SysCpuTime ["sysCpuTime"], "SysCpuTime", hidden, count, lower, code, Event,
            System 0 "CPU time in system calls", [SystemCalls];
        /// Global bus events: atomic instructions (`--collect-bus=yes`).
        Ge ["Ge"], "Ge", hidden, count, lower, code, Event,
            System 0 "Atomic instructions", [];
        /// Conditional branches executed (`--branch-sim=yes`).
        Bc ["Bc"], "Bc", hidden, count, lower, code, Event,
            Branches 0 "Conditional branches", [BranchSim];
        /// Conditional branches mispredicted (`--branch-sim=yes`).
        Bcm ["Bcm"], "Bcm", hidden, count, lower, access, Event,
            Branches 0 "Conditional branches, mispredicted", [BranchSim];
        /// Indirect jumps executed (`--branch-sim=yes`).
        Bi ["Bi"], "Bi", hidden, count, lower, code, Event,
            Branches 0 "Indirect jumps", [BranchSim];
        /// Indirect jumps whose target was mispredicted (`--branch-sim=yes`).
        Bim ["Bim"], "Bim", hidden, count, lower, access, Event,
            Branches 0 "Indirect jumps, mispredicted", [BranchSim];
        /// Instruction fetches that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        ILdmr ["ILdmr"], "ILdmr", hidden, count, lower, layout, Event,
            Misses 0 "Instructions, with a write back", [WriteBackBehaviour];
        /// Reads of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        DLdmr ["DLdmr"], "DLdmr", hidden, count, lower, layout, Event,
            Misses 0 "Data reads, with a write back", [WriteBackBehaviour];
        /// Writes of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        DLdmw ["DLdmw"], "DLdmw", hidden, count, lower, layout, Event,
            Misses 0 "Data writes, with a write back", [WriteBackBehaviour];
        /// Bad temporal locality in the first-level caches: for each line the reciprocal of its number
        /// of accesses, times 1000 (`--cacheuse=yes`).
        AcCost1 ["AcCost1"], "AcCost1", hidden, count, lower, layout, Event,
            Lines 0 "Temporal locality lost, first level", [CacheUse];
        /// Bad temporal locality in the last-level cache, as [`EventKind::AcCost1`] (`--cacheuse=yes`).
        AcCost2 ["AcCost2"], "AcCost2", hidden, count, lower, layout, Event,
            Lines 0 "Temporal locality lost, last level", [CacheUse];
        /// Bad spatial locality in the first-level caches: bytes loaded and never used
        /// (`--cacheuse=yes`).
        SpLoss1 ["SpLoss1"], "SpLoss1", hidden, count, lower, layout, Event,
            Lines 0 "Bytes never used, first level", [CacheUse];
        /// Bad spatial locality in the last-level cache, as [`EventKind::SpLoss1`] (`--cacheuse=yes`).
        SpLoss2 ["SpLoss2"], "SpLoss2", hidden, count, lower, code, Event,
            Lines 0 "Bytes never used, last level", [CacheUse];
        /// Heap allocations: calls of the C library's `malloc`, `calloc`, `realloc` and their like.
        ///
        /// A `realloc` counts as an allocation and as a free, as in Valgrind's memcheck.
        Allocations ["Allocations"], "Allocations", hidden, count, lower, code, Calls,
            Heap 0 "Allocations", [];
        /// Frees of heap memory: calls of the C library's `free` and `realloc`.
        Frees ["Frees"], "Frees", hidden, count, lower, code, Calls,
            Heap 0 "Frees", [];
    }
    /// A metric of DHAT.
    DhatMetric DHAT {
        /// Units of all ad-hoc events (`--mode=ad-hoc`): the weights that the program gave them.
        TotalUnits ["TotalUnits", "tun"], "Total units", shown, count, lower, code, Reported,
            Others 0 "Total units", [];
        /// Ad-hoc events (`--mode=ad-hoc`).
        TotalEvents ["TotalEvents", "tev"], "Total events", shown, count, lower, code, Reported,
            Others 0 "Total events", [];
        /// Bytes allocated, or copied (`--mode=copy`).
        TotalBytes ["TotalBytes", "tb"], "Total bytes", shown, count, lower, code, Reported,
            Heap 2 "Allocated bytes", [];
        /// Blocks allocated, or copied (`--mode=copy`).
        TotalBlocks ["TotalBlocks", "tbk"], "Total blocks", shown, count, lower, code, Reported,
            Heap 2 "Allocated blocks", [];
        /// Bytes allocated by the benchmark that existed when the heap of its process was largest.
        AtTGmaxBytes ["AtTGmaxBytes", "gb"], "At t-gmax bytes", shown, count, lower, code, Reported,
            Heap 2 "Live at the peak of the process, bytes", [];
        /// Blocks allocated by the benchmark that existed when the heap of its process was largest.
        AtTGmaxBlocks ["AtTGmaxBlocks", "gbk"], "At t-gmax blocks", shown, count, lower, code, Reported,
            Heap 2 "Live at the peak of the process, blocks", [];
        /// Bytes allocated by the benchmark that still existed when its process ended.
        AtTEndBytes ["AtTEndBytes", "eb"], "At t-end bytes", shown, count, lower, code, Reported,
            Heap 2 "Live at the end, bytes", [];
        /// Blocks allocated by the benchmark that still existed when its process ended.
        AtTEndBlocks ["AtTEndBlocks", "ebk"], "At t-end blocks", shown, count, lower, code, Reported,
            Heap 2 "Live at the end, blocks", [];
        /// Bytes read from the benchmark's blocks.
        ReadsBytes ["ReadsBytes", "rb"], "Reads bytes", shown, count, lower, code, Reported,
            Heap 2 "Bytes read", [];
        /// Bytes written to the benchmark's blocks.
        WritesBytes ["WritesBytes", "wb"], "Writes bytes", shown, count, lower, code, Reported,
            Heap 2 "Bytes written", [];
        /// Sum of the lifetimes of all blocks, in instructions.
        TotalLifetimes ["TotalLifetimes", "tl"], "Total lifetimes", hidden, count, lower, code, Reported,
            Others 0 "Total lifetimes", [];
        /// The largest number of bytes that each allocating place in the program had at the same time,
        /// summed up.
        MaximumBytes ["MaximumBytes", "mb"], "Maximum bytes", hidden, count, lower, code, Reported,
            Others 0 "Maximum bytes", [];
        /// The largest number of blocks that each allocating place in the program had at the same time,
        /// summed up.
        MaximumBlocks ["MaximumBlocks", "mbk"], "Maximum blocks", hidden, count, lower, code, Reported,
            Others 0 "Maximum blocks", [];
        /// The most bytes that the benchmark function had at the same time, beyond those of the setup.
        RegionPeakBytes ["RegionPeakBytes", "rpb"], "Region peak bytes", hidden, count, lower, code, Reported,
            Heap 1 "Peak of the measured region, bytes", [];
        /// The most blocks that the benchmark function had at the same time, beyond those of the setup.
        RegionPeakBlocks ["RegionPeakBlocks", "rpk"], "Region peak blocks", hidden, count, lower, code, Reported,
            Heap 1 "Peak of the measured region, blocks", [];
    }
    /// A metric of memcheck, helgrind or DRD. Leaks are memcheck's alone.
    ErrorMetric MEMCHECK {
        /// Errors, equal ones counted each time.
        Errors ["Errors"], "Errors", shown, count, lower, code, Reported,
            Others 0 "Errors", [];
        /// Distinct errors.
        Contexts ["Contexts"], "Contexts", shown, count, lower, code, Reported,
            Others 0 "Contexts", [];
        /// Errors that match a suppression.
        SuppressedErrors ["SuppressedErrors"], "Suppressed Errors", shown, count, lower, code, Reported,
            Others 0 "Suppressed Errors", [];
        /// Distinct suppressed errors.
        SuppressedContexts ["SuppressedContexts"], "Suppressed Contexts", shown, count, lower, code, Reported,
            Others 0 "Suppressed Contexts", [];
        /// Bytes with no pointer to them.
        DefinitelyLostBytes ["DefinitelyLostBytes"], "Definite bytes", hidden, count, lower, code, Reported,
            Others 0 "Definite bytes", [Leaks];
        /// Blocks with no pointer to them.
        DefinitelyLostBlocks ["DefinitelyLostBlocks"], "Definite blocks", hidden, count, lower, code, Reported,
            Others 0 "Definite blocks", [Leaks];
        /// Bytes with pointers to them only from lost blocks.
        IndirectlyLostBytes ["IndirectlyLostBytes"], "Indirect bytes", hidden, count, lower, code, Reported,
            Others 0 "Indirect bytes", [Leaks];
        /// Blocks with pointers to them only from lost blocks.
        IndirectlyLostBlocks ["IndirectlyLostBlocks"], "Indirect blocks", hidden, count, lower, code, Reported,
            Others 0 "Indirect blocks", [Leaks];
        /// Bytes of blocks with pointers into them, but none to the start.
        PossiblyLostBytes ["PossiblyLostBytes"], "Possible bytes", hidden, count, lower, code, Reported,
            Others 0 "Possible bytes", [Leaks];
        /// Blocks with pointers into them, but none to the start.
        PossiblyLostBlocks ["PossiblyLostBlocks"], "Possible blocks", hidden, count, lower, code, Reported,
            Others 0 "Possible blocks", [Leaks];
        /// Bytes with pointers to them when the process ends.
        ReachableBytes ["ReachableBytes"], "Reachable bytes", hidden, count, lower, code, Reported,
            Others 0 "Reachable bytes", [Leaks];
        /// Blocks with pointers to them when the process ends.
        ReachableBlocks ["ReachableBlocks"], "Reachable blocks", hidden, count, lower, code, Reported,
            Others 0 "Reachable blocks", [Leaks];
    }
    /// A metric of massif.
    MassifMetric MASSIF {
        /// The largest size of the heap, with the allocator's overhead and, if counted, the stacks.
        PeakBytes ["PeakBytes"], "Peak bytes", shown, count, lower, code, Reported,
            Heap 2 "Peak, bytes", [];
        /// Part of the peak that the program requested.
        UsefulHeapBytes ["UsefulHeapBytes"], "Useful heap", shown, count, lower, code, Reported,
            Heap 2 "Useful heap at the peak, bytes", [];
        /// Part of the peak that the allocator needed for administration and alignment.
        ExtraHeapBytes ["ExtraHeapBytes"], "Extra heap", shown, count, lower, code, Reported,
            Heap 2 "Extra heap at the peak, bytes", [];
        /// Part of the peak that was stacks (`--stacks=yes`).
        StacksBytes ["StacksBytes"], "Stacks", shown, count, lower, code, Reported,
            Heap 2 "Stacks at the peak, bytes", [];
    }
    /// A metric of BBV.
    BbvMetric BBV {
        /// Complete intervals (`--interval-size`), each of which has a vector.
        Intervals ["Intervals"], "Intervals", shown, count, lower, code, Reported,
            Others 0 "Intervals", [];
        /// Instructions executed.
        Instructions ["Instructions"], "Instructions", shown, count, lower, code, Reported,
            Others 0 "Instructions", [];
    }
}

#[rustfmt::skip]
cachegrind_metrics! {
    Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
    I1MissRate LLiMissRate D1MissRate LLdMissRate LLMissRate
    L1hits LLhits RamHits L1HitRate LLHitRate RamHitRate
    TotalRW EstimatedCycles IrPerByte IrPerElement IrPerBit Bc Bcm Bi Bim
}

impl EventKind {
    /// Alias of [`EventKind::LLhits`].
    #[allow(non_upper_case_globals, reason = "it is used like the variants")]
    pub const L2hits: Self = Self::LLhits;
}

impl CachegrindMetric {
    /// Alias of [`CachegrindMetric::LLhits`].
    #[allow(non_upper_case_globals, reason = "it is used like the variants")]
    pub const L2hits: Self = Self::LLhits;
}

impl MetricKind {
    /// Returns Valgrind's name of the event, or a name in the same style for another metric.
    #[must_use]
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter(name) => name.as_str(),
            other => other.row().names[0],
        }
    }

    /// Returns the words that are printed before the values.
    #[must_use]
    #[inline]
    pub fn label(self) -> &'static str {
        match self {
            Self::Counter(name) => name.as_str(),
            other => other.row().label,
        }
    }

    /// Returns true for a metric that is printed unless the user asks for others.
    #[must_use]
    #[inline]
    pub fn is_default(self) -> bool {
        self.row().by_default
    }

    /// Returns true for a metric whose larger values are better.
    #[must_use]
    #[inline]
    pub fn is_better_if_higher(self) -> bool {
        self.row().better == Direction::Higher
    }

    /// Returns true for a metric that depends on where code and data are, not only on what is executed.
    #[must_use]
    #[inline]
    pub fn depends_on_layout(self) -> bool {
        self.row().layout != LayoutEffect::None
    }

    /// Returns what an access adds to this metric if it reaches memory instead of the first level; zero if the effect of
    /// another layout is not known.
    #[must_use]
    #[inline]
    pub fn per_access(self) -> u64 {
        match self.row().layout {
            LayoutEffect::PerAccess(part) => part,
            LayoutEffect::None | LayoutEffect::Any => 0,
        }
    }

    /// Returns the unit of its values. Those of a counter can have a fraction, too.
    #[must_use]
    #[inline]
    pub fn unit(self) -> Unit {
        self.row().unit
    }

    /// Returns true for a rate: a percentage or a ratio, whose values have a fraction. A counter can be either.
    #[must_use]
    #[inline]
    pub fn is_rate(self) -> bool {
        self.unit() != Unit::Count
    }

    /// Returns true for a metric that only benchmarks with a throughput have.
    #[must_use]
    #[inline]
    pub fn is_per_unit(self) -> bool {
        matches!(self.row().source, PerUnit(_))
    }

    /// Returns the event with exactly this name in the files of a tool.
    #[must_use]
    #[inline]
    pub fn event(name: &str) -> Option<Self> {
        let is_event = |kind: &Self| kind.name() == name && matches!(kind.row().source, Event);
        Self::ALL.iter().copied().find(is_event)
    }

    /// Returns true if this is a name of the metric, in upper or lower case.
    #[must_use]
    #[inline]
    pub fn has_name(self, name: &str) -> bool {
        self.row().names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns true for a counter, which the benchmark reports.
    #[must_use]
    #[inline]
    pub fn is_counter(self) -> bool {
        matches!(self, Self::Counter(_))
    }

    #[inline]
    pub(super) fn source(self) -> Source {
        self.row().source
    }
}

impl fmt::Display for MetricKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_one_metric() {
        for &kind in MetricKind::ALL {
            for name in kind.row().names {
                for name in [(*name).to_owned(), name.to_lowercase(), name.to_uppercase()] {
                    let named = MetricKind::ALL.iter().filter(|kind| kind.has_name(&name));
                    assert_eq!(named.collect::<Vec<_>>(), [&kind], "{name}");
                }
            }
            assert!(!kind.label().is_empty());
        }
    }

    #[test]
    fn l2_is_the_last_level() {
        for name in ["l2hits", "llhits"] {
            assert!(LLhits.has_name(name));
        }
        assert_eq!(MetricKind::from(CachegrindMetric::L2hits), EventKind::L2hits.into());
        assert_eq!(LLhits.label(), "L2 Hits");
    }

    #[test]
    fn events_have_valgrinds_names_in_files() {
        assert_eq!(MetricKind::SysCpuTime.to_string(), "sysCpuTime");
        assert_eq!(MetricKind::event("sysCpuTime"), Some(MetricKind::SysCpuTime));
        for not_in_files in ["syscputime", "L1hits", "D1MissRate", "Allocations"] {
            assert_eq!(MetricKind::event(not_in_files), None);
        }
    }

    #[test]
    fn cachegrind_has_what_callgrind_computes_from_its_events() {
        for kind in MetricKind::CALLGRIND {
            let is_derived = matches!(kind.source(), Sum(_) | Formula(_) | Share(..) | PerUnit(_));
            assert!(!is_derived || MetricKind::CACHEGRIND.contains(kind), "{kind}");
        }
    }

    #[test]
    fn labels_fit_into_their_column() {
        for kind in MetricKind::ALL {
            // A long label continues in the column of the new value, which is rarely full
            assert!(kind.label().len() <= 19, "{kind:?}");
        }
    }
}
