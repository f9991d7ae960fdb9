//! The table of metrics: a row for each, and nothing about one anywhere else.

use std::fmt;

use super::Metrics;
use super::derived;

/// What the table holds of a metric
struct Row {
    /// Its name, and others that it can be called by
    names: &'static [&'static str],
    label: &'static str,
    by_default: bool,
    source: Source,
}

/// Where the values of a metric come from
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// The tool counts it, and calls it by its name in its files
    Event,
    /// The tool tells it in a form of its own
    Told,
    /// It is counted in the calls that stand in the tool's file
    Calls,
    /// It is computed from others; `None` if one that it needs wasn't counted
    Sum(fn(&Metrics) -> Option<u64>),
    /// The same in percent
    Rate(fn(&Metrics) -> Option<f64>),
}

/// Makes the enum, the table and the list of each tool's own metrics from the same rows
macro_rules! metrics {
    ($(
        $(#[doc = $tool:literal])+
        $list:ident {
            $($(#[doc = $doc:literal])+ $kind:ident $names:tt, $label:literal, $shown:ident, $source:expr;)+
        }
    )+) => {
        /// A metric: an event that a tool counts, or what is computed from several of them
        ///
        /// The order is that of the table, in which metrics are printed unless the user says otherwise.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventKind {
            $($($(#[doc = $doc])+ $kind,)+)+
        }

        impl EventKind {
            /// Every metric, in the order of the table
            pub const ALL: &'static [Self] = &[$($(Self::$kind),+),+];
            $($(#[doc = $tool])+ pub const $list: &'static [Self] = &[$(Self::$kind),+];)+
        }

        const TABLE: &[Row] = &[$($(Row {
            names: &$names,
            label: $label,
            by_default: by_default!($shown),
            source: $source,
        }),+),+];
    };
}

/// `shown` metrics are printed unless the user asks for others, `hidden` ones only when asked for
macro_rules! by_default {
    (shown) => {
        true
    };
    (hidden) => {
        false
    };
}

use Source::{Calls, Event, Rate, Sum, Told};

metrics! {
    /// Callgrind's metrics, in the order of the table
    CALLGRIND {
        /// Instructions executed
        Ir ["Ir"], "Instructions", shown, Event;
        /// Reads of data
        Dr ["Dr"], "Dr", hidden, Event;
        /// Writes of data
        Dw ["Dw"], "Dw", hidden, Event;
        /// Instruction fetches that missed the first-level instruction cache
        I1mr ["I1mr"], "I1mr", hidden, Event;
        /// Reads that missed the first-level data cache
        D1mr ["D1mr"], "D1mr", hidden, Event;
        /// Writes that missed the first-level data cache
        D1mw ["D1mw"], "D1mw", hidden, Event;
        /// Instruction fetches that missed the last-level cache
        ILmr ["ILmr"], "ILmr", hidden, Event;
        /// Reads of data that missed the last-level cache
        DLmr ["DLmr"], "DLmr", hidden, Event;
        /// Writes of data that missed the last-level cache
        DLmw ["DLmw"], "DLmw", hidden, Event;
        /// Instruction fetches that missed the first level, in percent: `I1mr / Ir`
        ///
        /// This and the other miss rates are those that cachegrind prints at its end (manual, 5.2.1
        /// "Running Cachegrind").
        I1MissRate ["I1MissRate"], "I1 Miss Rate", hidden, Rate(derived::i1_miss_rate);
        /// Instruction fetches that missed the last level, in percent: `ILmr / Ir`
        LLiMissRate ["LLiMissRate"], "LLi Miss Rate", hidden, Rate(derived::lli_miss_rate);
        /// Accesses to data that missed the first level, in percent: `(D1mr + D1mw) / (Dr + Dw)`
        D1MissRate ["D1MissRate"], "D1 Miss Rate", hidden, Rate(derived::d1_miss_rate);
        /// Accesses to data that missed the last level, in percent: `(DLmr + DLmw) / (Dr + Dw)`
        LLdMissRate ["LLdMissRate"], "LLd Miss Rate", hidden, Rate(derived::lld_miss_rate);
        /// Accesses that missed the last level, in percent of all accesses, not of those that missed
        /// the first level: `(ILmr + DLmr + DLmw) / (Ir + Dr + Dw)`
        LLMissRate ["LLMissRate"], "LL Miss Rate", hidden, Rate(derived::ram_share);
        /// Accesses that the first-level caches answered, instruction fetches included:
        /// `TotalRW - RamHits - LLhits`
        L1hits ["L1hits"], "L1 Hits", shown, Sum(derived::l1_hits);
        /// Accesses that the last-level cache answered: `I1mr + D1mr + D1mw - RamHits`
        ///
        /// Its line says `L2 Hits`, because there are two levels.
        LLhits ["LLhits", "L2hits"], "L2 Hits", shown, Sum(derived::ll_hits);
        /// Accesses that no cache answered: `ILmr + DLmr + DLmw`
        RamHits ["RamHits"], "RAM Hits", shown, Sum(derived::ram_hits);
        /// Accesses that the first level answered, in percent: `L1hits / TotalRW`
        ///
        /// The three hit rates add up to 100.
        L1HitRate ["L1HitRate"], "L1 Hit Rate", hidden, Rate(derived::l1_share);
        /// Accesses that the last level answered, in percent: `LLhits / TotalRW`
        LLHitRate ["LLHitRate"], "LL Hit Rate", hidden, Rate(derived::ll_share);
        /// Accesses that no cache answered, in percent: `RamHits / TotalRW`
        RamHitRate ["RamHitRate"], "RAM Hit Rate", hidden, Rate(derived::ram_share);
        /// All accesses to memory: `Ir + Dr + Dw`
        TotalRW ["TotalRW"], "Total read+write", shown, Sum(derived::total_rw);
        /// CPU cycles as Itamar Turner-Trauring estimates them: `L1hits + 5 * LLhits + 35 * RamHits`
        /// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>)
        EstimatedCycles ["EstimatedCycles"], "Estimated Cycles", shown, Sum(derived::estimated_cycles);
        /// System calls (`--collect-systime=yes`)
        SysCount ["sysCount"], "SysCount", hidden, Event;
        /// Elapsed time in system calls, in the unit that `--collect-systime` says: milliseconds for
        /// `yes` and `msec`, microseconds for `usec`, nanoseconds for `nsec`
        SysTime ["sysTime"], "SysTime", hidden, Event;
        /// CPU time in system calls, in nanoseconds (`--collect-systime=nsec`)
        SysCpuTime ["sysCpuTime"], "SysCpuTime", hidden, Event;
        /// Global bus events: atomic instructions (`--collect-bus=yes`)
        Ge ["Ge"], "Ge", hidden, Event;
        /// Conditional branches executed (`--branch-sim=yes`)
        Bc ["Bc"], "Bc", hidden, Event;
        /// Conditional branches mispredicted (`--branch-sim=yes`)
        Bcm ["Bcm"], "Bcm", hidden, Event;
        /// Indirect jumps executed (`--branch-sim=yes`)
        Bi ["Bi"], "Bi", hidden, Event;
        /// Indirect jumps whose target was mispredicted (`--branch-sim=yes`)
        Bim ["Bim"], "Bim", hidden, Event;
        /// Instruction fetches that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`)
        ILdmr ["ILdmr"], "ILdmr", hidden, Event;
        /// Reads of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`)
        DLdmr ["DLdmr"], "DLdmr", hidden, Event;
        /// Writes of data that missed the last level and had a dirty line written back
        /// (`--simulate-wb=yes`)
        DLdmw ["DLdmw"], "DLdmw", hidden, Event;
        /// Bad temporal locality in the first-level caches: for each line the reciprocal of its number
        /// of accesses, times 1000 (`--cacheuse=yes`)
        AcCost1 ["AcCost1"], "AcCost1", hidden, Event;
        /// Bad temporal locality in the last-level cache, as [`EventKind::AcCost1`] (`--cacheuse=yes`)
        AcCost2 ["AcCost2"], "AcCost2", hidden, Event;
        /// Bad spatial locality in the first-level caches: bytes loaded and never used
        /// (`--cacheuse=yes`)
        SpLoss1 ["SpLoss1"], "SpLoss1", hidden, Event;
        /// Bad spatial locality in the last-level cache, as [`EventKind::SpLoss1`] (`--cacheuse=yes`)
        SpLoss2 ["SpLoss2"], "SpLoss2", hidden, Event;
        /// Heap allocations: calls of the C library's `malloc`, `calloc`, `realloc` and their like
        ///
        /// A `realloc` counts as an allocation and as a free, as in Valgrind's memcheck.
        Allocations ["Allocations"], "Allocations", hidden, Calls;
        /// Frees of heap memory: calls of the C library's `free` and `realloc`
        Frees ["Frees"], "Frees", hidden, Calls;
    }
    /// DHAT's metrics, in the order of the table
    DHAT {
        /// Units of all ad-hoc events (`--mode=ad-hoc`): what the program gave as their weights
        TotalUnits ["TotalUnits", "tun"], "Total units", shown, Told;
        /// Ad-hoc events (`--mode=ad-hoc`)
        TotalEvents ["TotalEvents", "tev"], "Total events", shown, Told;
        /// Bytes allocated, or copied (`--mode=copy`)
        TotalBytes ["TotalBytes", "tb"], "Total bytes", shown, Told;
        /// Blocks allocated, or copied (`--mode=copy`)
        TotalBlocks ["TotalBlocks", "tbk"], "Total blocks", shown, Told;
        /// Bytes allocated by the benchmark that existed when the heap of its process was largest
        AtTGmaxBytes ["AtTGmaxBytes", "gb"], "At t-gmax bytes", shown, Told;
        /// Blocks allocated by the benchmark that existed when the heap of its process was largest
        AtTGmaxBlocks ["AtTGmaxBlocks", "gbk"], "At t-gmax blocks", shown, Told;
        /// Bytes allocated by the benchmark that still existed when its process ended
        AtTEndBytes ["AtTEndBytes", "eb"], "At t-end bytes", shown, Told;
        /// Blocks allocated by the benchmark that still existed when its process ended
        AtTEndBlocks ["AtTEndBlocks", "ebk"], "At t-end blocks", shown, Told;
        /// Bytes read from the benchmark's blocks
        ReadsBytes ["ReadsBytes", "rb"], "Reads bytes", shown, Told;
        /// Bytes written to the benchmark's blocks
        WritesBytes ["WritesBytes", "wb"], "Writes bytes", shown, Told;
        /// How long the blocks lived, all together, in instructions
        TotalLifetimes ["TotalLifetimes", "tl"], "Total lifetimes", hidden, Told;
        /// The largest number of bytes that existed at the same time, of each place in the program that
        /// allocates, summed up
        MaximumBytes ["MaximumBytes", "mb"], "Maximum bytes", hidden, Told;
        /// The largest number of blocks that existed at the same time, of each place in the program that
        /// allocates, summed up
        MaximumBlocks ["MaximumBlocks", "mbk"], "Maximum blocks", hidden, Told;
    }
    /// The metrics of the tools that find errors, in the order of the table
    ERRORS {
        /// Errors, those that are like others counted each time
        Errors ["Errors"], "Errors", shown, Told;
        /// Errors that are different from each other
        Contexts ["Contexts"], "Contexts", shown, Told;
        /// Errors that a suppression stands for
        SuppressedErrors ["SuppressedErrors"], "Suppressed Errors", shown, Told;
        /// Suppressed errors that are different from each other
        SuppressedContexts ["SuppressedContexts"], "Suppressed Contexts", shown, Told;
    }
    /// What memcheck tells of leaks, in the order of the table
    LEAKS {
        /// Bytes to which no pointer leads any more
        DefinitelyLostBytes ["DefinitelyLostBytes"], "Definite bytes", hidden, Told;
        /// Blocks to which no pointer leads any more
        DefinitelyLostBlocks ["DefinitelyLostBlocks"], "Definite blocks", hidden, Told;
        /// Bytes to which pointers lead only from lost blocks
        IndirectlyLostBytes ["IndirectlyLostBytes"], "Indirect bytes", hidden, Told;
        /// Blocks to which pointers lead only from lost blocks
        IndirectlyLostBlocks ["IndirectlyLostBlocks"], "Indirect blocks", hidden, Told;
        /// Bytes of blocks into which pointers lead, but none to the begin
        PossiblyLostBytes ["PossiblyLostBytes"], "Possible bytes", hidden, Told;
        /// Blocks into which pointers lead, but none to the begin
        PossiblyLostBlocks ["PossiblyLostBlocks"], "Possible blocks", hidden, Told;
        /// Bytes to which pointers lead when the process ends
        ReachableBytes ["ReachableBytes"], "Reachable bytes", hidden, Told;
        /// Blocks to which pointers lead when the process ends
        ReachableBlocks ["ReachableBlocks"], "Reachable blocks", hidden, Told;
    }
    /// Massif's metrics, in the order of the table
    MASSIF {
        /// The size of the heap, with what the allocator needs and, if counted, the stacks, when it was
        /// largest
        PeakBytes ["PeakBytes"], "Peak bytes", shown, Told;
        /// What of the peak was asked for
        UsefulHeapBytes ["UsefulHeapBytes"], "Useful heap", shown, Told;
        /// What of the peak the allocator needed itself, for administration and alignment
        ExtraHeapBytes ["ExtraHeapBytes"], "Extra heap", shown, Told;
        /// What of the peak were stacks (`--stacks=yes`)
        StacksBytes ["StacksBytes"], "Stacks", shown, Told;
    }
    /// BBV's metrics, in the order of the table
    BBV {
        /// Complete intervals (`--interval-size`), each of which has a vector
        Intervals ["Intervals"], "Intervals", shown, Told;
        /// Instructions executed
        Instructions ["Instructions"], "Instructions", shown, Told;
    }
}

impl EventKind {
    /// Another name of [`EventKind::LLhits`]
    #[allow(non_upper_case_globals, reason = "it is used like the variants")]
    pub const L2hits: Self = Self::LLhits;

    /// The name that Valgrind gives the event, or ours in the same style for another metric
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().names[0]
    }

    /// The words printed before the values
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// True for a metric that is printed unless the user asks for others
    #[must_use]
    pub fn is_default(self) -> bool {
        self.row().by_default
    }

    /// True for a metric that is a percentage, not a count
    #[must_use]
    pub fn is_rate(self) -> bool {
        matches!(self.row().source, Rate(_))
    }

    /// The event that a tool calls by exactly this name in its files
    #[must_use]
    pub fn event(name: &str) -> Option<Self> {
        let is_it = |kind: &Self| kind.name() == name && matches!(kind.row().source, Event);
        Self::ALL.iter().copied().find(is_it)
    }

    /// Whether it is known by this name, in whatever case
    pub(super) fn is_called(self, name: &str) -> bool {
        self.row().names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    pub(super) fn source(self) -> Source {
        self.row().source
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_kind() {
        for &kind in EventKind::ALL {
            for name in kind.row().names {
                for name in [(*name).to_owned(), name.to_lowercase(), name.to_uppercase()] {
                    let called = EventKind::ALL.iter().filter(|kind| kind.is_called(&name));
                    assert_eq!(called.collect::<Vec<_>>(), [&kind], "{name}");
                }
            }
            assert!(!kind.label().is_empty());
        }
    }

    #[test]
    fn l2_is_the_last_level() {
        assert!(EventKind::L2hits.is_called("l2hits") && EventKind::L2hits.is_called("llhits"));
        assert_eq!(EventKind::L2hits, EventKind::LLhits);
        assert_eq!(EventKind::L2hits.label(), "L2 Hits");
    }

    #[test]
    fn the_names_in_files_are_valgrinds() {
        assert_eq!(EventKind::SysCpuTime.to_string(), "sysCpuTime");
        assert_eq!(EventKind::event("sysCpuTime"), Some(EventKind::SysCpuTime));
        for not_in_files in ["syscputime", "L1hits", "D1MissRate", "Allocations"] {
            assert_eq!(EventKind::event(not_in_files), None);
        }
    }

    #[test]
    fn labels_fit_into_their_column() {
        for kind in EventKind::ALL {
            // A long one goes on into the column of the new value, which is hardly ever full
            assert!(kind.label().len() <= 19, "{kind:?}");
        }
    }
}
