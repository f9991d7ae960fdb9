//! The formulas of the derived metrics.
//!
//! All need the cache simulation; without its events there is nothing to derive. Sums that
//! overflow give nothing rather than a wrong number. Differences stop at zero: a tool's counts may
//! disagree by a few misses when a region begins between an event and its account.

use super::{EventKind, Metrics};

/// `ILmr + DLmr + DLmw`
pub(super) fn ram_hits(metrics: &Metrics) -> Option<u64> {
    sum(metrics, [EventKind::ILmr, EventKind::DLmr, EventKind::DLmw])
}

/// `I1mr + D1mr + D1mw - RamHits`
pub(super) fn ll_hits(metrics: &Metrics) -> Option<u64> {
    let l1_misses = sum(metrics, [EventKind::I1mr, EventKind::D1mr, EventKind::D1mw])?;
    Some(l1_misses.saturating_sub(ram_hits(metrics)?))
}

/// `Ir + Dr + Dw`
pub(super) fn total_rw(metrics: &Metrics) -> Option<u64> {
    sum(metrics, [EventKind::Ir, EventKind::Dr, EventKind::Dw])
}

/// `TotalRW - RamHits - LLhits`
pub(super) fn l1_hits(metrics: &Metrics) -> Option<u64> {
    let beyond_l1 = ram_hits(metrics)?.checked_add(ll_hits(metrics)?)?;
    Some(total_rw(metrics)?.saturating_sub(beyond_l1))
}

/// `L1hits + 5 * LLhits + 35 * RamHits`
/// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>)
pub(super) fn estimated_cycles(metrics: &Metrics) -> Option<u64> {
    let ll = ll_hits(metrics)?.checked_mul(5)?;
    let ram = ram_hits(metrics)?.checked_mul(35)?;
    l1_hits(metrics)?.checked_add(ll)?.checked_add(ram)
}

fn sum(metrics: &Metrics, kinds: [EventKind; 3]) -> Option<u64> {
    kinds.into_iter().try_fold(0_u64, |total, kind| total.checked_add(metrics.get(kind)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::EventKind::{
        D1mr, D1mw, DLmr, DLmw, Dr, Dw, EstimatedCycles, I1mr, ILmr, Ir, L1hits, LLhits, RamHits,
        TotalRW,
    };

    const EVENTS: [EventKind; 9] = [Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw];

    fn metrics(values: [u64; 9]) -> Metrics {
        EVENTS.into_iter().zip(values).collect()
    }

    fn derived(metrics: &Metrics) -> [Option<u64>; 5] {
        [L1hits, LLhits, RamHits, TotalRW, EstimatedCycles].map(|kind| metrics.get(kind))
    }

    #[test]
    fn formulas() {
        let metrics = metrics([1728, 267, 355, 12, 3, 2, 2, 1, 0]);
        assert_eq!(derived(&metrics), [2333, 14, 3, 2350, 2508].map(Some));
    }

    #[test]
    fn nothing_is_derived_without_the_cache_simulation() {
        let metrics: Metrics = [(Ir, 5)].into_iter().collect();
        assert_eq!(derived(&metrics), [None; 5]);
        // one of the events is enough to be missing
        let metrics: Metrics = EVENTS.into_iter().skip(1).map(|kind| (kind, 1)).collect();
        assert_eq!(derived(&metrics), [None, Some(0), Some(3), None, None]);
    }

    #[test]
    fn inconsistent_counts_stop_at_zero() {
        let metrics = metrics([1, 0, 0, 0, 0, 0, 7, 0, 0]);
        assert_eq!(derived(&metrics), [0, 0, 7, 1, 245].map(Some));
    }

    #[test]
    fn overflow_gives_nothing() {
        assert_eq!(derived(&metrics([u64::MAX; 9])), [None; 5]);
        let metrics = metrics([u64::MAX, 0, 0, u64::MAX, 0, 0, 0, 0, 0]);
        assert_eq!(derived(&metrics), [Some(0), Some(u64::MAX), Some(0), Some(u64::MAX), None]);
    }
}
