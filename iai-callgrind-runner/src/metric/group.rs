//! Callgrind's groups of metrics, by which several of them are named at once.

use std::fmt;

use super::EventKind::{
    AcCost1, AcCost2, Bc, Bcm, Bi, Bim, D1MissRate, D1mr, D1mw, DLdmr, DLdmw, DLmr, DLmw, Dr, Dw,
    EstimatedCycles, I1MissRate, I1mr, ILdmr, ILmr, L1HitRate, L1hits, LLHitRate, LLMissRate,
    LLdMissRate, LLhits, LLiMissRate, RamHitRate, RamHits, SpLoss1, SpLoss2, SysCount, SysCpuTime,
    SysTime, TotalRW,
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

/// Metrics of callgrind that are named at once, in the configuration of benchmarks
///
/// Written as text it is what `--callgrind-metrics` and `--callgrind-limits` take: `@cachemisses`,
/// `Ir`, `none`.
///
/// ```
/// use iai_callgrind_runner::metric::{CallgrindMetrics, EventKind};
///
/// assert_eq!(CallgrindMetrics::CacheMissRates.to_string(), "@cachemissrates");
/// assert_eq!(CallgrindMetrics::from(EventKind::Dr).to_string(), "Dr");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum CallgrindMetrics {
    /// No metric
    None,
    /// `Ir`, the [cache hits](Self::CacheHits), `TotalRW` and `EstimatedCycles`: what is shown unless
    /// something else is asked for
    #[default]
    Default,
    /// Every metric, as far as it was counted
    All,
    /// `I1mr`, `D1mr`, `D1mw`, `ILmr`, `DLmr`, `DLmw`
    CacheMisses,
    /// `I1MissRate`, `LLiMissRate`, `D1MissRate`, `LLdMissRate`, `LLMissRate`
    CacheMissRates,
    /// `L1hits`, `LLhits`, `RamHits`
    CacheHits,
    /// `L1HitRate`, `LLHitRate`, `RamHitRate`
    CacheHitRates,
    /// All that comes from the simulated caches: `Dr`, `Dw`, the four groups above, `TotalRW` and
    /// `EstimatedCycles`
    CacheSim,
    /// `AcCost1`, `AcCost2`, `SpLoss1`, `SpLoss2`, counted with `--cacheuse=yes`
    CacheUse,
    /// `SysCount`, `SysTime`, `SysCpuTime`, counted with `--collect-systime=nsec`
    SystemCalls,
    /// `Bc`, `Bcm`, `Bi`, `Bim`, counted with `--branch-sim=yes`
    BranchSim,
    /// `ILdmr`, `DLdmr`, `DLdmw`, counted with `--simulate-wb=yes`
    WriteBackBehaviour,
    /// One metric
    SingleEvent(EventKind),
}

impl From<EventKind> for CallgrindMetrics {
    fn from(kind: EventKind) -> Self {
        Self::SingleEvent(kind)
    }
}

impl fmt::Display for CallgrindMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Default => "@default",
            Self::All => "@all",
            Self::CacheMisses => "@cachemisses",
            Self::CacheMissRates => "@cachemissrates",
            Self::CacheHits => "@cachehits",
            Self::CacheHitRates => "@cachehitrates",
            Self::CacheSim => "@cachesim",
            Self::CacheUse => "@cacheuse",
            Self::SystemCalls => "@systemcalls",
            Self::BranchSim => "@branchsim",
            Self::WriteBackBehaviour => "@writebackbehaviour",
            Self::SingleEvent(kind) => kind.name(),
        })
    }
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
