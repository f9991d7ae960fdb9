//! The formulas of the derived metrics that are neither sums nor shares.
//!
//! They need the events of the cache simulation. A sum that overflows has no value.
//! Differences stop at zero: a tool's counts may disagree by a few misses when a region starts between an
//! event and its account.
//!
//! Only the runner uses this module. `#[inline]` keeps its code out of the library's build.

use super::{MetricKind, Metrics};

/// The estimated cycles of an access that no cache answers.
const CYCLES_OF_RAM: u64 = 35;

/// The estimated cycles that an access takes longer if no cache answers it, not the first level.
pub(super) const CYCLES_OF_A_MISS: u64 = CYCLES_OF_RAM - 1;

/// Computes `I1mr + D1mr + D1mw - RamHits`.
#[inline]
pub(super) fn ll_hits(metrics: &Metrics) -> Option<u64> {
    let l1_misses = metrics.sum(&[MetricKind::I1mr, MetricKind::D1mr, MetricKind::D1mw])?;
    Some(l1_misses.saturating_sub(metrics.count(MetricKind::RamHits)?))
}

/// Computes `TotalRW - RamHits - LLhits`.
#[inline]
pub(super) fn l1_hits(metrics: &Metrics) -> Option<u64> {
    let beyond_l1 = metrics.sum(&[MetricKind::RamHits, MetricKind::LLhits])?;
    Some(metrics.count(MetricKind::TotalRW)?.saturating_sub(beyond_l1))
}

/// Computes `L1hits + 5 * LLhits + 35 * RamHits`
/// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>).
#[inline]
pub(super) fn estimated_cycles(metrics: &Metrics) -> Option<u64> {
    let ll = metrics.count(MetricKind::LLhits)?.checked_mul(5)?;
    let ram = metrics.count(MetricKind::RamHits)?.checked_mul(CYCLES_OF_RAM)?;
    metrics.count(MetricKind::L1hits)?.checked_add(ll)?.checked_add(ram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Throughput;
    use crate::metric::MetricKind::{
        D1MissRate, D1mr, D1mw, DLmr, DLmw, Dr, Dw, EstimatedCycles, I1MissRate, I1mr, ILmr, Ir,
        IrPerBit, IrPerByte, IrPerElement, L1HitRate, L1hits, LLHitRate, LLMissRate, LLdMissRate,
        LLhits, LLiMissRate, RamHitRate, RamHits, TotalRW,
    };

    const EVENTS: [MetricKind; 9] = [Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw];
    const RATES: [MetricKind; 8] = [
        I1MissRate,
        LLiMissRate,
        D1MissRate,
        LLdMissRate,
        LLMissRate,
        L1HitRate,
        LLHitRate,
        RamHitRate,
    ];

    fn metrics(values: [u64; 9]) -> Metrics {
        EVENTS.into_iter().zip(values).collect()
    }

    fn derived(metrics: &Metrics) -> [Option<u64>; 5] {
        [L1hits, LLhits, RamHits, TotalRW, EstimatedCycles].map(|kind| metrics.count(kind))
    }

    fn rates(metrics: &Metrics) -> [Option<String>; 8] {
        RATES.map(|kind| metrics.get(kind).map(|value| value.to_string()))
    }

    #[test]
    fn formulas() {
        let metrics = metrics([1728, 267, 355, 12, 3, 2, 2, 1, 0]);
        assert_eq!(derived(&metrics), [2333, 14, 3, 2350, 2508].map(Some));
    }

    #[test]
    fn an_access_to_the_memory_adds_what_the_metric_says() {
        let first = metrics([1728, 267, 355, 12, 3, 2, 2, 1, 0]);
        let memory = metrics([1728, 267, 355, 12, 4, 2, 2, 2, 0]);
        for kind in [RamHits, EstimatedCycles] {
            let added = memory.count(kind).unwrap() - first.count(kind).unwrap();
            assert_eq!(added, kind.per_access(), "{}", kind.name());
        }
    }

    #[test]
    fn the_rates_that_gungraun_prints_for_these_counts() {
        let metrics = metrics([36764, 8166, 4871, 106, 8, 169, 105, 2, 163]);
        let expected = [
            "0.28833", "0.28561", "1.35767", "1.26563", "0.54216", "99.4317", "0.02610", "0.54216",
        ];
        assert_eq!(rates(&metrics), expected.map(|rate| Some(rate.to_owned())));
    }

    #[test]
    fn the_rates_of_the_example_in_cachegrinds_manual() {
        let metrics =
            metrics([27_742_716, 10_955_517, 4_474_773, 276, 21905, 19280, 275, 3987, 19098]);
        let truncated = rates(&metrics).map(|rate| rate.unwrap()[..3].to_owned());
        assert_eq!(truncated[..5], ["0.0", "0.0", "0.2", "0.1", "0.0"]);
    }

    #[test]
    fn nothing_is_derived_without_the_cache_simulation() {
        let metrics: Metrics = [(Ir, 5)].into_iter().collect();
        assert_eq!(derived(&metrics), [None; 5]);
        assert_eq!(rates(&metrics), [const { None }; 8]);
        // one of the events is enough to be missing
        let metrics: Metrics = EVENTS.into_iter().skip(1).map(|kind| (kind, 1)).collect();
        assert_eq!(derived(&metrics), [None, Some(0), Some(3), None, None]);
    }

    #[test]
    fn a_share_of_nothing_is_not_available() {
        assert_eq!(rates(&metrics([0; 9])), [const { None }; 8]);
        let no_data = rates(&metrics([10, 0, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(no_data[0].as_deref(), Some("0.00000"));
        assert_eq!(no_data[2..4], [None, None], "no access to data, no rate of misses");
        assert_eq!(no_data[5].as_deref(), Some("100.000"));
    }

    #[test]
    fn instructions_are_divided_by_the_throughput() {
        let counted: Metrics = [(Ir, 1000)].into_iter().collect();
        let values = |throughput| {
            let metrics = counted.clone().with_throughput(throughput);
            [IrPerByte, IrPerElement, IrPerBit]
                .map(|kind| metrics.get(kind).map(|value| value.to_string()))
        };
        let text = |text: &str| Some(text.to_owned());
        for throughput in [Throughput::Bytes(3), Throughput::BytesDecimal(3)] {
            assert_eq!(values(Some(throughput)), [text("333.333"), None, None]);
        }
        assert_eq!(values(Some(Throughput::Elements(8))), [None, text("125.000"), None]);
        let both = Throughput::ElementsAndBytes { elements: 10, bytes: 4000 };
        assert_eq!(values(Some(both)), [text("0.25000"), text("100.000"), None]);
        assert_eq!(values(Some(Throughput::Bits(1000))), [None, None, text("1.00000")]);
        for throughput in [None, Some(Throughput::Bytes(0)), Some(Throughput::Bits(0))] {
            assert_eq!(values(throughput), [const { None }; 3]);
        }
        let not_counted: Metrics = [(Dr, 1000)].into_iter().collect();
        let not_counted = not_counted.with_throughput(Some(Throughput::Bytes(1)));
        assert_eq!(not_counted.get(IrPerByte), None);
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
