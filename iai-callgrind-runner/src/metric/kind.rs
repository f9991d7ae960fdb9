//! The table of callgrind's metrics: a row for each, and nothing about one anywhere else.

use std::fmt;
use std::str::FromStr;

use super::Metrics;
use super::derived;

/// Computes a derived metric; `None` if an event that it needs wasn't counted
pub(super) type Formula = fn(&Metrics) -> Option<u64>;

/// What the table holds of a metric
struct Row {
    name: &'static str,
    label: &'static str,
    by_default: bool,
    formula: Option<Formula>,
}

/// Makes the enum and the table from the same rows, so that neither can lack one of the other's
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $kind:ident, $name:literal, $label:literal, $shown:ident, $formula:expr;)+) => {
        /// A metric of callgrind: an event that it counts, or one derived from several of them
        ///
        /// The order is that of the table, in which metrics are printed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl EventKind {
            /// Every metric, in the order of the table
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];
        }

        const TABLE: &[Row] = &[$(Row {
            name: $name,
            label: $label,
            by_default: by_default!($shown),
            formula: $formula,
        }),+];
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

metrics! {
    /// Instructions executed
    Ir, "Ir", "Instructions", shown, None;
    /// Loads and stores that the first-level caches answered, instruction fetches included:
    /// `TotalRW - RamHits - LLhits`
    L1hits, "L1hits", "L1 Hits", shown, Some(derived::l1_hits);
    /// Accesses that the last-level cache answered: `I1mr + D1mr + D1mw - RamHits`
    LLhits, "LLhits", "L2 Hits", shown, Some(derived::ll_hits);
    /// Accesses that no cache answered: `ILmr + DLmr + DLmw`
    RamHits, "RamHits", "RAM Hits", shown, Some(derived::ram_hits);
    /// All accesses to memory: `Ir + Dr + Dw`
    TotalRW, "TotalRW", "Total read+write", shown, Some(derived::total_rw);
    /// CPU cycles as Itamar Turner-Trauring estimates them: `L1hits + 5 * LLhits + 35 * RamHits`
    /// (<https://pythonspeed.com/articles/consistent-benchmarking-in-ci/>)
    EstimatedCycles, "EstimatedCycles", "Estimated Cycles", shown, Some(derived::estimated_cycles);
    /// Reads of data
    Dr, "Dr", "Data reads", hidden, None;
    /// Writes of data
    Dw, "Dw", "Data writes", hidden, None;
    /// Instruction fetches that missed the first-level instruction cache
    I1mr, "I1mr", "I1 read misses", hidden, None;
    /// Reads that missed the first-level data cache
    D1mr, "D1mr", "D1 read misses", hidden, None;
    /// Writes that missed the first-level data cache
    D1mw, "D1mw", "D1 write misses", hidden, None;
    /// Instruction fetches that missed the last-level cache
    ILmr, "ILmr", "LL instruction read misses", hidden, None;
    /// Reads of data that missed the last-level cache
    DLmr, "DLmr", "LL data read misses", hidden, None;
    /// Writes of data that missed the last-level cache
    DLmw, "DLmw", "LL data write misses", hidden, None;
    /// Instruction fetches that had a dirty line of the last-level cache written back
    /// (`--simulate-wb=yes`)
    ILdmr, "ILdmr", "LL dirty instruction read misses", hidden, None;
    /// Reads of data that had a dirty line of the last-level cache written back
    /// (`--simulate-wb=yes`)
    DLdmr, "DLdmr", "LL dirty data read misses", hidden, None;
    /// Writes of data that had a dirty line of the last-level cache written back
    /// (`--simulate-wb=yes`)
    DLdmw, "DLdmw", "LL dirty data write misses", hidden, None;
    /// Bad temporal locality in the first-level caches: for each line the reciprocal of its number
    /// of accesses, times 1000 (`--cacheuse=yes`)
    AcCost1, "AcCost1", "L1 temporal locality cost", hidden, None;
    /// Bad spatial locality in the first-level caches: bytes loaded and never used
    /// (`--cacheuse=yes`)
    SpLoss1, "SpLoss1", "L1 spatial loss", hidden, None;
    /// Bad temporal locality in the last-level cache, as [`EventKind::AcCost1`] (`--cacheuse=yes`)
    AcCost2, "AcCost2", "LL temporal locality cost", hidden, None;
    /// Bad spatial locality in the last-level cache, as [`EventKind::SpLoss1`] (`--cacheuse=yes`)
    SpLoss2, "SpLoss2", "LL spatial loss", hidden, None;
    /// Conditional branches executed (`--branch-sim=yes`)
    Bc, "Bc", "Conditional branches", hidden, None;
    /// Conditional branches mispredicted (`--branch-sim=yes`)
    Bcm, "Bcm", "Conditional branch misses", hidden, None;
    /// Indirect jumps executed (`--branch-sim=yes`)
    Bi, "Bi", "Indirect jumps", hidden, None;
    /// Indirect jumps whose target was mispredicted (`--branch-sim=yes`)
    Bim, "Bim", "Indirect jump misses", hidden, None;
    /// Global bus events: atomic instructions (`--collect-bus=yes`)
    Ge, "Ge", "Global bus events", hidden, None;
    /// System calls (`--collect-systime=yes`)
    SysCount, "sysCount", "System calls", hidden, None;
    /// Elapsed time in system calls, in the unit that `--collect-systime` says: milliseconds for
    /// `yes` and `msec`, microseconds for `usec`, nanoseconds for `nsec`
    SysTime, "sysTime", "System call time", hidden, None;
    /// CPU time in system calls, in nanoseconds (`--collect-systime=nsec`)
    SysCpuTime, "sysCpuTime", "System call CPU time", hidden, None;
}

impl EventKind {
    /// The name that Valgrind gives the event, or ours in the same style for a derived metric
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The words printed before the values
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().label
    }

    /// True for a metric that is computed from events instead of being counted
    #[must_use]
    pub fn is_derived(self) -> bool {
        self.row().formula.is_some()
    }

    /// True for a metric that is printed unless the user asks for others
    #[must_use]
    pub fn is_default(self) -> bool {
        self.row().by_default
    }

    pub(super) fn formula(self) -> Option<Formula> {
        self.row().formula
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

/// A name that no metric has
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event `{0}` is not known")]
pub struct UnknownEvent(pub String);

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownEvent(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_leads_back_to_its_kind() {
        for &kind in EventKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert!(!kind.label().is_empty());
        }
        assert_eq!("ir".parse::<EventKind>(), Err(UnknownEvent("ir".to_owned())));
    }

    #[test]
    fn valgrinds_names_are_kept() {
        assert_eq!(EventKind::SysCpuTime.to_string(), "sysCpuTime");
        assert_eq!(EventKind::LLhits.label(), "L2 Hits");
        assert!(EventKind::TotalRW.is_derived() && !EventKind::Dw.is_derived());
    }
}
