//! Groups of metrics, by which limits for several of them are written at once.

use super::EventKind;
use super::EventKind::{
    AcCost1, AcCost2, Bc, Bcm, Bi, Bim, D1mr, D1mw, DLdmr, DLdmw, DLmr, DLmw, Dr, Dw,
    EstimatedCycles, I1mr, ILdmr, ILmr, Ir, L1hits, LLhits, RamHits, SpLoss1, SpLoss2, SysCount,
    SysCpuTime, SysTime, TotalRW,
};

/// The groups with their members: a row for each.
const TABLE: &[(&str, &[EventKind])] = &[
    ("all", EventKind::ALL),
    ("default", &[Ir, L1hits, LLhits, RamHits, TotalRW, EstimatedCycles]),
    ("cachemisses", &[I1mr, D1mr, D1mw, ILmr, DLmr, DLmw]),
    ("cachehits", &[L1hits, LLhits, RamHits]),
    (
        "cachesim",
        &[
            Dr,
            Dw,
            I1mr,
            D1mr,
            D1mw,
            ILmr,
            DLmr,
            DLmw,
            L1hits,
            LLhits,
            RamHits,
            TotalRW,
            EstimatedCycles,
        ],
    ),
    ("cacheuse", &[AcCost1, AcCost2, SpLoss1, SpLoss2]),
    ("systemcalls", &[SysCount, SysTime, SysCpuTime]),
    ("branchsim", &[Bc, Bcm, Bi, Bim]),
    ("writeback", &[ILdmr, DLdmr, DLdmw]),
];

/// The members of the group with this name, whatever the case of its letters.
pub(crate) fn group(name: &str) -> Option<&'static [EventKind]> {
    TABLE.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, members)| *members)
}

/// The names of all groups.
pub(crate) fn group_names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_in_any_case() {
        assert_eq!(group("CacheHits"), Some(&[L1hits, LLhits, RamHits][..]));
        assert_eq!(group("all").map(<[_]>::len), Some(EventKind::ALL.len()));
        assert_eq!(group("none"), None);
    }

    #[test]
    fn the_default_group_is_what_is_printed_by_default() {
        let printed = EventKind::ALL.iter().copied().filter(|kind| kind.is_default());
        assert_eq!(group("default"), Some(&*printed.collect::<Vec<_>>()));
    }
}
