//! Which metrics each tool has, and the groups by which several of them are named at once.

use std::fmt;

use super::EventKind::{
    AcCost1, AcCost2, Bc, Bcm, Bi, Bim, Contexts, D1MissRate, D1mr, D1mw, DLdmr, DLdmw, DLmr, DLmw,
    DefinitelyLostBlocks, DefinitelyLostBytes, Dr, Dw, Errors, EstimatedCycles, I1MissRate, I1mr,
    ILdmr, ILmr, IndirectlyLostBlocks, IndirectlyLostBytes, Ir, L1HitRate, L1hits, LLHitRate,
    LLMissRate, LLdMissRate, LLhits, LLiMissRate, PossiblyLostBlocks, PossiblyLostBytes,
    RamHitRate, RamHits, ReachableBlocks, ReachableBytes, SpLoss1, SpLoss2, SuppressedContexts,
    SuppressedErrors, SysCount, SysCpuTime, SysTime, TotalRW,
};
use super::{EventKind, Group, MetricSet};

/// What callgrind can tell
pub static CALLGRIND: MetricSet = MetricSet {
    all: EventKind::CALLGRIND,
    groups: &[
        Group { names: &["cachemisses", "ms"], members: &[I1mr, D1mr, D1mw, ILmr, DLmr, DLmw] },
        Group {
            names: &["cachemissrates", "mr"],
            members: &[I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate],
        },
        Group { names: &["cachehits", "hs"], members: &[L1hits, LLhits, RamHits] },
        Group { names: &["cachehitrates", "hr"], members: &[L1HitRate, LLHitRate, RamHitRate] },
        Group { names: &["cachesim", "cs"], members: CACHE_SIMULATION },
        Group { names: &["cacheuse", "cu"], members: &[AcCost1, AcCost2, SpLoss1, SpLoss2] },
        Group { names: &["systemcalls", "sc"], members: &[SysCount, SysTime, SysCpuTime] },
        Group { names: &["branchsim", "bs"], members: &[Bc, Bcm, Bi, Bim] },
        Group { names: &["writebackbehaviour", "wb"], members: &[ILdmr, DLdmr, DLdmw] },
    ],
};

/// What comes from the simulated caches
#[rustfmt::skip]
const CACHE_SIMULATION: &[EventKind] = &[
    Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw,
    I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate,
    L1hits, LLhits, RamHits, L1HitRate, LLHitRate, RamHitRate,
    TotalRW, EstimatedCycles,
];

/// What cachegrind can tell: what callgrind counts too, as far as there are functions, but no calls
pub static CACHEGRIND: MetricSet = MetricSet {
    all: CACHEGRIND_METRICS,
    groups: &[
        Group { names: &["cachemisses", "ms"], members: &[I1mr, D1mr, D1mw, ILmr, DLmr, DLmw] },
        Group {
            names: &["cachemissrates", "mr"],
            members: &[I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate],
        },
        Group { names: &["cachehits", "hs"], members: &[L1hits, LLhits, RamHits] },
        Group { names: &["cachehitrates", "hr"], members: &[L1HitRate, LLHitRate, RamHitRate] },
        Group { names: &["cachesim", "cs"], members: CACHE_SIMULATION },
        Group { names: &["branchsim", "bs"], members: &[Bc, Bcm, Bi, Bim] },
    ],
};

#[rustfmt::skip]
const CACHEGRIND_METRICS: &[EventKind] = &[
    Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw,
    I1MissRate, LLiMissRate, D1MissRate, LLdMissRate, LLMissRate,
    L1hits, LLhits, RamHits, L1HitRate, LLHitRate, RamHitRate,
    TotalRW, EstimatedCycles, Bc, Bcm, Bi, Bim,
];

/// What DHAT can tell
pub static DHAT: MetricSet = MetricSet { all: EventKind::DHAT, groups: &[] };

/// What memcheck can tell
pub static MEMCHECK: MetricSet = MetricSet {
    all: MEMCHECK_METRICS,
    groups: &[Group { names: &["leaks"], members: EventKind::LEAKS }],
};

#[rustfmt::skip]
const MEMCHECK_METRICS: &[EventKind] = &[
    Errors, Contexts, SuppressedErrors, SuppressedContexts,
    DefinitelyLostBytes, DefinitelyLostBlocks, IndirectlyLostBytes, IndirectlyLostBlocks,
    PossiblyLostBytes, PossiblyLostBlocks, ReachableBytes, ReachableBlocks,
];

/// What helgrind and DRD can tell
pub static ERRORS: MetricSet = MetricSet { all: EventKind::ERRORS, groups: &[] };

/// What massif can tell
pub static MASSIF: MetricSet = MetricSet { all: EventKind::MASSIF, groups: &[] };

/// What BBV can tell
pub static BBV: MetricSet = MetricSet { all: EventKind::BBV, groups: &[] };

/// The enum by which a tool's metrics are named in the configuration of benchmarks. Written as text it
/// is what the options of the command line take
macro_rules! metrics_of_a_tool {
    ($(#[$docs:meta])* $name:ident($single:ident) {
        $($(#[doc = $doc:literal])+ $group:ident = $text:literal,)*
    }) => {
        $(#[$docs])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            /// No metric
            None,
            /// What is shown unless something else is asked for
            #[default]
            Default,
            /// Every metric, as far as it was counted
            All,
            $($(#[doc = $doc])+ $group,)*
            /// One metric
            $single(EventKind),
        }

        impl From<EventKind> for $name {
            fn from(kind: EventKind) -> Self {
                Self::$single(kind)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(match self {
                    Self::None => "none",
                    Self::Default => "@default",
                    Self::All => "@all",
                    $(Self::$group => $text,)*
                    Self::$single(kind) => kind.name(),
                })
            }
        }
    };
}

metrics_of_a_tool! {
    /// Metrics of callgrind that are named at once, in the configuration of benchmarks
    ///
    /// Written as text it is what `--callgrind-metrics` and `--callgrind-limits` take: `@cachemisses`,
    /// `Ir`, `none`. By default `Ir`, the [cache hits](Self::CacheHits), `TotalRW` and `EstimatedCycles`
    /// are shown.
    ///
    /// ```
    /// use iai_callgrind_plan::metric::{CallgrindMetrics, EventKind};
    ///
    /// assert_eq!(CallgrindMetrics::CacheMissRates.to_string(), "@cachemissrates");
    /// assert_eq!(CallgrindMetrics::from(EventKind::Dr).to_string(), "Dr");
    /// ```
    CallgrindMetrics(SingleEvent) {
        /// `I1mr`, `D1mr`, `D1mw`, `ILmr`, `DLmr`, `DLmw`
        CacheMisses = "@cachemisses",
        /// `I1MissRate`, `LLiMissRate`, `D1MissRate`, `LLdMissRate`, `LLMissRate`
        CacheMissRates = "@cachemissrates",
        /// `L1hits`, `LLhits`, `RamHits`
        CacheHits = "@cachehits",
        /// `L1HitRate`, `LLHitRate`, `RamHitRate`
        CacheHitRates = "@cachehitrates",
        /// All that comes from the simulated caches: `Dr`, `Dw`, the four groups above, `TotalRW` and
        /// `EstimatedCycles`
        CacheSim = "@cachesim",
        /// `AcCost1`, `AcCost2`, `SpLoss1`, `SpLoss2`, counted with `--cacheuse=yes`
        CacheUse = "@cacheuse",
        /// `SysCount`, `SysTime`, `SysCpuTime`, counted with `--collect-systime=nsec`
        SystemCalls = "@systemcalls",
        /// `Bc`, `Bcm`, `Bi`, `Bim`, counted with `--branch-sim=yes`
        BranchSim = "@branchsim",
        /// `ILdmr`, `DLdmr`, `DLdmw`, counted with `--simulate-wb=yes`
        WriteBackBehaviour = "@writebackbehaviour",
    }
}

metrics_of_a_tool! {
    /// Metrics of cachegrind that are named at once, in the configuration of benchmarks
    ///
    /// By default those that [`CallgrindMetrics::Default`] stands for are shown.
    CachegrindMetrics(SingleEvent) {
        /// `I1mr`, `D1mr`, `D1mw`, `ILmr`, `DLmr`, `DLmw`
        CacheMisses = "@cachemisses",
        /// `I1MissRate`, `LLiMissRate`, `D1MissRate`, `LLdMissRate`, `LLMissRate`
        CacheMissRates = "@cachemissrates",
        /// `L1hits`, `LLhits`, `RamHits`
        CacheHits = "@cachehits",
        /// `L1HitRate`, `LLHitRate`, `RamHitRate`
        CacheHitRates = "@cachehitrates",
        /// All that comes from the simulated caches: `Dr`, `Dw`, the four groups above, `TotalRW` and
        /// `EstimatedCycles`
        CacheSim = "@cachesim",
        /// `Bc`, `Bcm`, `Bi`, `Bim`, counted with `--branch-sim=yes`
        BranchSim = "@branchsim",
    }
}

metrics_of_a_tool! {
    /// Metrics of DHAT that are named at once, in the configuration of benchmarks
    ///
    /// By default all but `TotalLifetimes`, `MaximumBytes` and `MaximumBlocks` are shown, as far as the
    /// mode has them.
    DhatMetrics(SingleMetric) {}
}

metrics_of_a_tool! {
    /// Metrics of memcheck, helgrind and DRD that are named at once, in the configuration of benchmarks
    ///
    /// By default the four that count errors are shown.
    ErrorMetrics(SingleMetric) {
        /// What memcheck tells of leaks, in bytes and in blocks; helgrind and DRD don't have it
        Leaks = "@leaks",
    }
}

metrics_of_a_tool! {
    /// Metrics of massif that are named at once, in the configuration of benchmarks
    MassifMetrics(SingleMetric) {}
}

metrics_of_a_tool! {
    /// Metrics of BBV that are named at once, in the configuration of benchmarks
    BbvMetrics(SingleMetric) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Selection;

    #[test]
    fn groups_go_by_a_long_and_a_short_name() {
        for Group { names, members } in CALLGRIND.groups {
            assert_eq!(names.len(), 2);
            for name in *names {
                assert_eq!(*name, name.to_lowercase());
                let group = format!("@{}", name.to_uppercase());
                assert_eq!(CALLGRIND.named(&group).as_deref(), Ok(*members));
            }
        }
    }

    #[test]
    fn members_stand_in_the_order_of_the_table() {
        for Group { names, members } in CALLGRIND.groups {
            assert!(members.is_sorted(), "{names:?}");
        }
    }

    #[test]
    fn the_runner_reads_what_the_library_writes() {
        use CallgrindMetrics as M;
        let groups = [
            M::CacheMisses,
            M::CacheMissRates,
            M::CacheHits,
            M::CacheHitRates,
            M::CacheSim,
            M::CacheUse,
            M::SystemCalls,
            M::BranchSim,
            M::WriteBackBehaviour,
        ];
        let members =
            |metrics: M| Selection::parse(&metrics.to_string(), &CALLGRIND).unwrap().kinds;
        for (written, group) in groups.into_iter().zip(CALLGRIND.groups) {
            assert_eq!(members(written), group.members);
        }
        assert_eq!(members(M::None), []);
        assert_eq!(members(M::Default), CALLGRIND.default());
        assert_eq!(members(M::All), EventKind::CALLGRIND);
        for kind in EventKind::CALLGRIND {
            assert_eq!(members((*kind).into()), [*kind]);
        }
    }
}
