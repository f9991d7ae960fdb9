//! The table of metrics: a row for each, and nothing about one anywhere else.

use std::fmt;

use super::Metrics;
use super::derived;
use crate::json::{self, Json, List, Object};
use crate::{CounterName, Throughput};

/// A row of the table.
struct Row {
    /// The metric's name, and its aliases.
    names: &'static [&'static str],
    label: &'static str,
    by_default: bool,
    /// A larger value is a better one.
    is_better_if_higher: bool,
    /// The places of code and data change it, not only what is executed.
    depends_on_layout: bool,
    source: Source,
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
    /// The share of a sum of metrics, in percent of another sum.
    Rate(&'static [MetricKind], &'static [MetricKind]),
    /// The instructions divided by this amount of the benchmark's throughput.
    PerUnit(fn(Throughput) -> Option<u64>),
    /// The benchmark reports it.
    Counter,
}

/// Makes the enum of all metrics, those of each tool, the lists and the table from the same rows.
macro_rules! metrics {
    ($(
        $(#[$about:meta])+
        $tool:ident $list:ident {
            $($(#[doc = $doc:tt])+ $kind:ident $names:tt, $label:literal, $shown:ident, $better:ident, $depends:ident, $source:expr;)+
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
                        by_default: is_set!($shown),
                        is_better_if_higher: is_set!($better),
                        depends_on_layout: is_set!($depends),
                        source: $source,
                    },)+)+
                    Self::Counter(_) => &COUNTER,
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

/// Translates the words of a row: `shown` by default or `hidden`, better if `lower` or `higher`, and whether it depends on the
/// executed `code` alone or on its `layout`, too.
macro_rules! is_set {
    (shown) => {
        true
    };
    (hidden) => {
        false
    };
    (higher) => {
        true
    };
    (lower) => {
        false
    };
    (layout) => {
        true
    };
    (code) => {
        false
    };
}

/// The row of all counters. Their names are not known.
const COUNTER: Row = Row {
    names: &[],
    label: "",
    by_default: true,
    is_better_if_higher: false,
    depends_on_layout: false,
    source: Source::Counter,
};

/// Writes the name of the variant, and that of a counter.
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
use Source::{Calls, Event, Formula, PerUnit, Rate, Reported, Sum};

metrics! {
    /// A metric of callgrind.
    EventKind CALLGRIND {
        /// Instructions executed.
        Ir ["Ir"], "Instructions", shown, lower, code, Event;
        /// Reads of data.
        Dr ["Dr"], "Dr", hidden, lower, code, Event;
        /// Writes of data.
        Dw ["Dw"], "Dw", hidden, lower, code, Event;
        /// Instruction fetches that missed the first-level instruction cache.
        I1mr ["I1mr"], "I1mr", hidden, lower, layout, Event;
        /// Reads that missed the first-level data cache.
        D1mr ["D1mr"], "D1mr", hidden, lower, layout, Event;
        /// Writes that missed the first-level data cache.
        D1mw ["D1mw"], "D1mw", hidden, lower, layout, Event;
        /// Instruction fetches that missed the last-level cache.
        ILmr ["ILmr"], "ILmr", hidden, lower, layout, Event;
        /// Reads of data that missed the last-level cache.
        DLmr ["DLmr"], "DLmr", hidden, lower, layout, Event;
        /// Writes of data that missed the last-level cache.
        DLmw ["DLmw"], "DLmw", hidden, lower, layout, Event;
        /// Instruction fetches that missed the first level, in percent: `I1mr / Ir`.
        ///
        /// This and the other miss rates are those that cachegrind prints at its end (manual, 5.2.1
        /// "Running Cachegrind").
        I1MissRate ["I1MissRate"], "I1 Miss Rate", hidden, lower, layout, Rate(&[I1mr], &[Ir]);
        /// Instruction fetches that missed the last level, in percent: `ILmr / Ir`.
        LLiMissRate ["LLiMissRate"], "LLi Miss Rate", hidden, lower, layout, Rate(&[ILmr], &[Ir]);
        /// Accesses to data that missed the first level, in percent: `(D1mr + D1mw) / (Dr + Dw)`.
        D1MissRate ["D1MissRate"], "D1 Miss Rate", hidden, lower, layout, Rate(&[D1mr, D1mw], &[Dr, Dw]);
        /// Accesses to data that missed the last level, in percent: `(DLmr + DLmw) / (Dr + Dw)`.
        LLdMissRate ["LLdMissRate"], "LLd Miss Rate", hidden, lower, layout, Rate(&[DLmr, DLmw], &[Dr, Dw]);
        /// Accesses that missed the last level, in percent of all accesses, not of those that missed
        /// the first level: `(ILmr + DLmr + DLmw) / (Ir + Dr + Dw)`.
        LLMissRate ["LLMissRate"], "LL Miss Rate", hidden, lower, layout, Rate(&[ILmr, DLmr, DLmw], &[Ir, Dr, Dw]);
        /// Accesses that the first-level caches answered, instruction fetches included:
        /// `TotalRW - RamHits - LLhits`.
        L1hits ["L1hits"], "L1 Hits", shown, lower, layout, Formula(derived::l1_hits);
        /// Accesses that the last-level cache answered: `I1mr + D1mr + D1mw - RamHits`.
        ///
        /// The label is `L2 Hits`, because there are two levels.
        LLhits ["LLhits", "L2hits"], "L2 Hits", shown, lower, layout, Formula(derived::ll_hits);
        /// Accesses that no cache answered: `ILmr + DLmr + DLmw`.
        RamHits ["RamHits"], "RAM Hits", shown, lower, layout, Sum(&[ILmr, DLmr, DLmw]);
        /// Accesses that the first level answered, in percent: `L1hits / TotalRW`.
        ///
        /// The three hit rates add up to 100.
        L1HitRate ["L1HitRate"], "L1 Hit Rate", hidden, higher, layout, Rate(&[L1hits], &[TotalRW]);
        /// Accesses that the last level answered, in percent: `LLhits / TotalRW`.
        LLHitRate ["LLHitRate"], "LL Hit Rate", hidden, lower, layout, Rate(&[LLhits], &[TotalRW]);
        /// Accesses that no cache answered, in percent: `RamHits / TotalRW`.
        RamHitRate ["RamHitRate"], "RAM Hit Rate", hidden, lower, layout, Rate(&[RamHits], &[TotalRW]);
        /// All accesses to memory: `Ir + Dr + Dw`.
        TotalRW ["TotalRW"], "Total read+write", shown, lower, code, Sum(&[Ir, Dr, Dw]);
        /// CPU cycles as Itamar Turner-Trauring estimates them: `L1hits + 5 * LLhits + 35 * RamHits`
        /// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>).
        EstimatedCycles ["EstimatedCycles"], "Estimated Cycles", shown, lower, layout, Formula(derived::estimated_cycles);
        /// Instructions for each byte of the benchmark's [throughput](crate::Throughput).
        IrPerByte ["IrPerByte"], "Ir per byte", shown, lower, code, PerUnit(Throughput::bytes);
        /// Instructions for each element of the benchmark's [throughput](crate::Throughput).
        IrPerElement ["IrPerElement"], "Ir per element", shown, lower, code, PerUnit(Throughput::elements);
        /// Instructions for each bit of the benchmark's [throughput](crate::Throughput).
        IrPerBit ["IrPerBit"], "Ir per bit", shown, lower, code, PerUnit(Throughput::bits);
        /// System calls (`--collect-systime=yes`).
        SysCount ["sysCount"], "SysCount", hidden, lower, code, Event;
        /// Elapsed time in system calls, in the unit of `--collect-systime`: milliseconds for
        /// `yes` and `msec`, microseconds for `usec`, nanoseconds for `nsec`.
        SysTime ["sysTime"], "SysTime", hidden, lower, code, Event;
        /// CPU time in system calls, in nanoseconds (`--collect-systime=nsec`).
        SysCpuTime ["sysCpuTime"], "SysCpuTime", hidden, lower, code, Event;
        /// Global bus events: atomic instructions (`--collect-bus=yes`).
        Ge ["Ge"], "Ge", hidden, lower, code, Event;
        /// Conditional branches executed (`--branch-sim=yes`).
        Bc ["Bc"], "Bc", hidden, lower, code, Event;
        /// Conditional branches mispredicted (`--branch-sim=yes`).
        Bcm ["Bcm"], "Bcm", hidden, lower, layout, Event;
        /// Indirect jumps executed (`--branch-sim=yes`).
        Bi ["Bi"], "Bi", hidden, lower, code, Event;
        /// Indirect jumps whose target was mispredicted (`--branch-sim=yes`).
        Bim ["Bim"], "Bim", hidden, lower, layout, Event;
        /// Instruction fetches that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        ILdmr ["ILdmr"], "ILdmr", hidden, lower, layout, Event;
        /// Reads of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        DLdmr ["DLdmr"], "DLdmr", hidden, lower, layout, Event;
        /// Writes of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`).
        DLdmw ["DLdmw"], "DLdmw", hidden, lower, layout, Event;
        /// Bad temporal locality in the first-level caches: for each line the reciprocal of its number
        /// of accesses, times 1000 (`--cacheuse=yes`).
        AcCost1 ["AcCost1"], "AcCost1", hidden, lower, layout, Event;
        /// Bad temporal locality in the last-level cache, as [`EventKind::AcCost1`] (`--cacheuse=yes`).
        AcCost2 ["AcCost2"], "AcCost2", hidden, lower, layout, Event;
        /// Bad spatial locality in the first-level caches: bytes loaded and never used
        /// (`--cacheuse=yes`).
        SpLoss1 ["SpLoss1"], "SpLoss1", hidden, lower, layout, Event;
        /// Bad spatial locality in the last-level cache, as [`EventKind::SpLoss1`] (`--cacheuse=yes`).
        SpLoss2 ["SpLoss2"], "SpLoss2", hidden, lower, code, Event;
        /// Heap allocations: calls of the C library's `malloc`, `calloc`, `realloc` and their like.
        ///
        /// A `realloc` counts as an allocation and as a free, as in Valgrind's memcheck.
        Allocations ["Allocations"], "Allocations", hidden, lower, code, Calls;
        /// Frees of heap memory: calls of the C library's `free` and `realloc`.
        Frees ["Frees"], "Frees", hidden, lower, code, Calls;
    }
    /// A metric of DHAT.
    DhatMetric DHAT {
        /// Units of all ad-hoc events (`--mode=ad-hoc`): the weights that the program gave them.
        TotalUnits ["TotalUnits", "tun"], "Total units", shown, lower, code, Reported;
        /// Ad-hoc events (`--mode=ad-hoc`).
        TotalEvents ["TotalEvents", "tev"], "Total events", shown, lower, code, Reported;
        /// Bytes allocated, or copied (`--mode=copy`).
        TotalBytes ["TotalBytes", "tb"], "Total bytes", shown, lower, code, Reported;
        /// Blocks allocated, or copied (`--mode=copy`).
        TotalBlocks ["TotalBlocks", "tbk"], "Total blocks", shown, lower, code, Reported;
        /// Bytes allocated by the benchmark that existed when the heap of its process was largest.
        AtTGmaxBytes ["AtTGmaxBytes", "gb"], "At t-gmax bytes", shown, lower, code, Reported;
        /// Blocks allocated by the benchmark that existed when the heap of its process was largest.
        AtTGmaxBlocks ["AtTGmaxBlocks", "gbk"], "At t-gmax blocks", shown, lower, code, Reported;
        /// Bytes allocated by the benchmark that still existed when its process ended.
        AtTEndBytes ["AtTEndBytes", "eb"], "At t-end bytes", shown, lower, code, Reported;
        /// Blocks allocated by the benchmark that still existed when its process ended.
        AtTEndBlocks ["AtTEndBlocks", "ebk"], "At t-end blocks", shown, lower, code, Reported;
        /// Bytes read from the benchmark's blocks.
        ReadsBytes ["ReadsBytes", "rb"], "Reads bytes", shown, lower, code, Reported;
        /// Bytes written to the benchmark's blocks.
        WritesBytes ["WritesBytes", "wb"], "Writes bytes", shown, lower, code, Reported;
        /// Sum of the lifetimes of all blocks, in instructions.
        TotalLifetimes ["TotalLifetimes", "tl"], "Total lifetimes", hidden, lower, code, Reported;
        /// The largest number of bytes that each allocating place in the program had at the same time,
        /// summed up.
        MaximumBytes ["MaximumBytes", "mb"], "Maximum bytes", hidden, lower, code, Reported;
        /// The largest number of blocks that each allocating place in the program had at the same time,
        /// summed up.
        MaximumBlocks ["MaximumBlocks", "mbk"], "Maximum blocks", hidden, lower, code, Reported;
        /// The most bytes that the benchmark function had at the same time, beyond those of the setup.
        RegionPeakBytes ["RegionPeakBytes", "rpb"], "Region peak bytes", hidden, lower, code, Reported;
        /// The most blocks that the benchmark function had at the same time, beyond those of the setup.
        RegionPeakBlocks ["RegionPeakBlocks", "rpk"], "Region peak blocks", hidden, lower, code, Reported;
    }
    /// A metric of memcheck, helgrind or DRD. Leaks are memcheck's alone.
    ErrorMetric MEMCHECK {
        /// Errors, equal ones counted each time.
        Errors ["Errors"], "Errors", shown, lower, code, Reported;
        /// Distinct errors.
        Contexts ["Contexts"], "Contexts", shown, lower, code, Reported;
        /// Errors that match a suppression.
        SuppressedErrors ["SuppressedErrors"], "Suppressed Errors", shown, lower, code, Reported;
        /// Distinct suppressed errors.
        SuppressedContexts ["SuppressedContexts"], "Suppressed Contexts", shown, lower, code, Reported;
        /// Bytes with no pointer to them.
        DefinitelyLostBytes ["DefinitelyLostBytes"], "Definite bytes", hidden, lower, code, Reported;
        /// Blocks with no pointer to them.
        DefinitelyLostBlocks ["DefinitelyLostBlocks"], "Definite blocks", hidden, lower, code, Reported;
        /// Bytes with pointers to them only from lost blocks.
        IndirectlyLostBytes ["IndirectlyLostBytes"], "Indirect bytes", hidden, lower, code, Reported;
        /// Blocks with pointers to them only from lost blocks.
        IndirectlyLostBlocks ["IndirectlyLostBlocks"], "Indirect blocks", hidden, lower, code, Reported;
        /// Bytes of blocks with pointers into them, but none to the start.
        PossiblyLostBytes ["PossiblyLostBytes"], "Possible bytes", hidden, lower, code, Reported;
        /// Blocks with pointers into them, but none to the start.
        PossiblyLostBlocks ["PossiblyLostBlocks"], "Possible blocks", hidden, lower, code, Reported;
        /// Bytes with pointers to them when the process ends.
        ReachableBytes ["ReachableBytes"], "Reachable bytes", hidden, lower, code, Reported;
        /// Blocks with pointers to them when the process ends.
        ReachableBlocks ["ReachableBlocks"], "Reachable blocks", hidden, lower, code, Reported;
    }
    /// A metric of massif.
    MassifMetric MASSIF {
        /// The largest size of the heap, with the allocator's overhead and, if counted, the stacks.
        PeakBytes ["PeakBytes"], "Peak bytes", shown, lower, code, Reported;
        /// Part of the peak that the program requested.
        UsefulHeapBytes ["UsefulHeapBytes"], "Useful heap", shown, lower, code, Reported;
        /// Part of the peak that the allocator needed for administration and alignment.
        ExtraHeapBytes ["ExtraHeapBytes"], "Extra heap", shown, lower, code, Reported;
        /// Part of the peak that was stacks (`--stacks=yes`).
        StacksBytes ["StacksBytes"], "Stacks", shown, lower, code, Reported;
    }
    /// A metric of BBV.
    BbvMetric BBV {
        /// Complete intervals (`--interval-size`), each of which has a vector.
        Intervals ["Intervals"], "Intervals", shown, lower, code, Reported;
        /// Instructions executed.
        Instructions ["Instructions"], "Instructions", shown, lower, code, Reported;
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
    /// Returns Valgrind's name of the event, or one in the same style for another metric.
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
        self.row().is_better_if_higher
    }

    /// Returns true for a metric that depends on where code and data are, not only on what is executed.
    #[must_use]
    #[inline]
    pub fn depends_on_layout(self) -> bool {
        self.row().depends_on_layout
    }

    /// Returns the unit of its values. Those of a counter can have a fraction, too.
    #[must_use]
    #[inline]
    pub fn unit(self) -> Unit {
        match self.row().source {
            Event | Reported | Calls | Sum(_) | Formula(_) | Source::Counter => Unit::Count,
            Rate(..) => Unit::Percent,
            PerUnit(_) => Unit::Ratio,
        }
    }

    /// Returns true for a metric that is a number with a fraction, not a count. A counter can be either.
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
    fn labels_fit_into_their_column() {
        for kind in MetricKind::ALL {
            // A long one continues in the column of the new value, which is rarely full
            assert!(kind.label().len() <= 19, "{kind:?}");
        }
    }
}
