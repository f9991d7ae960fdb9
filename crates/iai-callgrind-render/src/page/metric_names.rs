//! The names of metrics for people, in groups. The name on the command line is shown on hover.

/// Group of metrics that are in none of the groups.
const OTHERS: &str = "Counts";

/// The groups in their order, with the names and the words of their metrics.
const GROUPS: [(&str, &[(&str, &str)]); 8] = [
    (
        "Execution",
        &[
            ("Ir", "Instructions"),
            ("EstimatedCycles", "Estimated cycles"),
            ("IrPerByte", "Instructions per byte"),
            ("IrPerElement", "Instructions per element"),
            ("IrPerBit", "Instructions per bit"),
        ],
    ),
    (
        "Memory accesses",
        &[
            ("TotalRW", "All accesses"),
            ("Dr", "Data reads"),
            ("Dw", "Data writes"),
            ("L1hits", "Answered by the first level"),
            ("LLhits", "Answered by the last level"),
            ("RamHits", "Answered by RAM"),
        ],
    ),
    (
        "Cache misses",
        &[
            ("I1mr", "Instructions, first level"),
            ("D1mr", "Data reads, first level"),
            ("D1mw", "Data writes, first level"),
            ("ILmr", "Instructions, last level"),
            ("DLmr", "Data reads, last level"),
            ("DLmw", "Data writes, last level"),
            ("ILdmr", "Instructions, with a write back"),
            ("DLdmr", "Data reads, with a write back"),
            ("DLdmw", "Data writes, with a write back"),
        ],
    ),
    (
        "Shares of accesses",
        &[
            ("L1HitRate", "Answered by the first level"),
            ("LLHitRate", "Answered by the last level"),
            ("RamHitRate", "Answered by RAM"),
            ("I1MissRate", "Instructions that miss the first level"),
            ("D1MissRate", "Data that misses the first level"),
            ("LLiMissRate", "Instructions that miss the last level"),
            ("LLdMissRate", "Data that misses the last level"),
            ("LLMissRate", "All that misses the last level"),
        ],
    ),
    (
        "Branches",
        &[
            ("Bc", "Conditional branches"),
            ("Bcm", "Conditional branches, mispredicted"),
            ("Bi", "Indirect jumps"),
            ("Bim", "Indirect jumps, mispredicted"),
        ],
    ),
    (
        "System calls and atomics",
        &[
            ("sysCount", "System calls"),
            ("sysTime", "Time in system calls"),
            ("sysCpuTime", "CPU time in system calls"),
            ("Ge", "Atomic instructions"),
        ],
    ),
    (
        "Heap",
        &[
            ("Allocations", "Allocations"),
            ("Frees", "Frees"),
            ("RegionPeakBytes", "Peak of the measured region, bytes"),
            ("RegionPeakBlocks", "Peak of the measured region, blocks"),
            ("TotalBytes", "Allocated bytes"),
            ("TotalBlocks", "Allocated blocks"),
            ("AtTGmaxBytes", "Live at the peak of the process, bytes"),
            ("AtTGmaxBlocks", "Live at the peak of the process, blocks"),
            ("AtTEndBytes", "Live at the end, bytes"),
            ("AtTEndBlocks", "Live at the end, blocks"),
            ("ReadsBytes", "Bytes read"),
            ("WritesBytes", "Bytes written"),
            ("PeakBytes", "Peak, bytes"),
            ("UsefulHeapBytes", "Useful heap at the peak, bytes"),
            ("ExtraHeapBytes", "Extra heap at the peak, bytes"),
            ("StacksBytes", "Stacks at the peak, bytes"),
        ],
    ),
    (
        "Use of cache lines",
        &[
            ("AcCost1", "Temporal locality lost, first level"),
            ("AcCost2", "Temporal locality lost, last level"),
            ("SpLoss1", "Bytes never used, first level"),
            ("SpLoss2", "Bytes never used, last level"),
        ],
    ),
];

/// Returns the group of a metric, by its place and title, and its words; `None` for one that has no other words than its
/// label.
pub(super) fn find(metric: &str) -> (usize, &'static str, Option<&'static str>) {
    let groups = GROUPS.iter().enumerate();
    let mut found = groups.filter_map(|(place, (title, metrics))| {
        let (_, words) = metrics.iter().find(|(name, _)| *name == metric)?;
        Some((place, *title, Some(*words)))
    });
    found.next().unwrap_or((GROUPS.len(), OTHERS, None))
}

/// Returns the place of a metric in its group.
pub(super) fn place(metric: &str) -> usize {
    let mut metrics = GROUPS.iter().flat_map(|(_, metrics)| *metrics);
    metrics.position(|(name, _)| *name == metric).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind;

    use super::*;

    #[test]
    fn names_are_those_of_metrics() {
        for (name, _) in GROUPS.iter().flat_map(|(_, metrics)| *metrics) {
            assert!(MetricKind::ALL.iter().any(|kind| kind.name() == *name), "{name}");
        }
        for kind in MetricKind::CALLGRIND {
            assert!(find(kind.name()).2.is_some(), "{}", kind.name());
        }
        assert_eq!(find("nodes visited"), (GROUPS.len(), OTHERS, None));
    }
}
