//! The metrics of each tool, and groups that name several of them at once.

use super::MetricGroup;
use super::MetricKind::{self, Contexts, Errors, SuppressedContexts, SuppressedErrors};
use super::kind::{BbvMetric, CachegrindMetric, DhatMetric, ErrorMetric, EventKind, MassifMetric};

/// The metrics of a tool, and their groups.
#[derive(Debug)]
pub struct MetricSet {
    /// All metrics of the tool, in the order in which they are printed.
    pub all: &'static [MetricKind],
    /// The groups, without `all` and `default`.
    pub groups: &'static [Group],
}

/// Metrics with a common name.
#[derive(Debug)]
pub struct Group {
    /// The names in small letters: first the long name, then shorter ones.
    pub names: &'static [&'static str],
    /// The group, which the rows of its metrics name.
    pub group: MetricGroup,
}

impl MetricSet {
    /// Returns the metrics of a group.
    #[must_use]
    #[inline]
    pub fn members(&self, group: MetricGroup) -> Vec<MetricKind> {
        self.all.iter().copied().filter(|kind| kind.groups().contains(&group)).collect()
    }

    /// Returns the metrics that are printed unless the user asks for others.
    #[must_use]
    #[inline]
    pub fn default(&self) -> Vec<MetricKind> {
        self.all.iter().copied().filter(|kind| kind.is_default()).collect()
    }
}

/// Returns the metrics without duplicates: the first of equal metrics stays.
#[must_use]
#[inline]
pub fn unique(kinds: &[MetricKind]) -> Vec<MetricKind> {
    let mut unique = Vec::new();
    for kind in kinds {
        if !unique.contains(kind) {
            unique.push(*kind);
        }
    }
    unique
}

/// The metrics of helgrind and DRD, which find no leaks.
pub static ERRORS: MetricSet =
    MetricSet { all: &[Errors, Contexts, SuppressedErrors, SuppressedContexts], groups: &[] };

/// Makes the set of a tool, and the enum by which benchmark files name its metrics, from the same groups.
macro_rules! metric_sets {
    ($(
        $(#[$docs:meta])+
        $name:ident($single:ident: $metric:ident) = $set:ident($all:expr) {
            $($(#[$doc:meta])+ $group:ident $names:expr;)*
        }
    )+) => {$(
        #[doc = concat!("The metrics that [`", stringify!($name), "`] names.")]
        pub static $set: MetricSet =
            MetricSet { all: $all, groups: &[$(Group { names: &$names, group: MetricGroup::$group }),*] };

        $(#[$docs])+
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
        pub enum $name {
            /// No metric.
            None,
            /// The metrics that are shown by default.
            #[default]
            Default,
            /// Every metric that was counted.
            All,
            $($(#[$doc])+ $group,)*
            /// One metric.
            $single($metric),
        }

        impl $name {
            /// Returns the metrics of a tool that has this set.
            #[doc(hidden)]
            #[must_use]
            #[inline]
            pub fn kinds(self, set: &MetricSet) -> Vec<MetricKind> {
                match self {
                    Self::None => Vec::new(),
                    Self::Default => set.default(),
                    Self::All => set.all.to_vec(),
                    $(Self::$group => set.members(MetricGroup::$group),)*
                    Self::$single(metric) => vec![metric.into()],
                }
            }
        }

        impl From<$metric> for $name {
            #[inline]
            fn from(metric: $metric) -> Self {
                Self::$single(metric)
            }
        }
    )+};
}

/// Makes the sets of tools that simulate caches and branches. The tool's own groups precede and
/// follow `BranchSim`.
macro_rules! simulated_sets {
    ($(
        $(#[$docs:meta])+
        $name:ident($single:ident: $metric:ident) = $set:ident($all:expr)
            { $($before:tt)* } BranchSim { $($after:tt)* }
    )+) => {
        metric_sets! {$(
            $(#[$docs])+
            $name($single: $metric) = $set($all) {
                /// `I1mr`, `D1mr`, `D1mw`, `ILmr`, `DLmr`, `DLmw`.
                CacheMisses ["cachemisses", "ms"];
                /// `I1MissRate`, `LLiMissRate`, `D1MissRate`, `LLdMissRate`, `LLMissRate`.
                CacheMissRates ["cachemissrates", "mr"];
                /// `L1hits`, `LLhits`, `RamHits`.
                CacheHits ["cachehits", "hs"];
                /// `L1HitRate`, `LLHitRate`, `RamHitRate`.
                CacheHitRates ["cachehitrates", "hr"];
                /// All metrics of the simulated caches: `Dr`, `Dw`, the four groups above, `TotalRW` and
                /// `EstimatedCycles`.
                CacheSim ["cachesim", "cs"];
                $($before)*
                /// `Bc`, `Bcm`, `Bi`, `Bim`, counted with `--branch-sim=yes`.
                BranchSim ["branchsim", "bs"];
                $($after)*
            }
        )+}
    };
}

simulated_sets! {
    /// Metrics of callgrind, one or several at once, in the configuration of benchmarks.
    ///
    /// By default `Ir`, the [cache hits](Self::CacheHits), `TotalRW`, `EstimatedCycles` and, with a
    /// [throughput](crate::Throughput), the instructions per unit are shown.
    ///
    /// ```
    /// use iai_callgrind_plan::metric::tool::{CallgrindMetrics, EventKind};
    ///
    /// assert_eq!(CallgrindMetrics::from(EventKind::Dr), CallgrindMetrics::SingleEvent(EventKind::Dr));
    /// ```
    CallgrindMetrics(SingleEvent: EventKind) = CALLGRIND(MetricKind::CALLGRIND) {
        /// `AcCost1`, `AcCost2`, `SpLoss1`, `SpLoss2`, counted with `--cacheuse=yes`.
        CacheUse ["cacheuse", "cu"];
        /// `SysCount`, `SysTime`, `SysCpuTime`, counted with `--collect-systime=nsec`.
        SystemCalls ["systemcalls", "sc"];
    } BranchSim {
        /// `ILdmr`, `DLdmr`, `DLdmw`, counted with `--simulate-wb=yes`.
        WriteBackBehaviour ["writebackbehaviour", "wb"];
    }

    /// Metrics of cachegrind, one or several at once, in the configuration of benchmarks.
    ///
    /// By default those of [`CallgrindMetrics::Default`] are shown.
    CachegrindMetrics(SingleEvent: CachegrindMetric) = CACHEGRIND(MetricKind::CACHEGRIND) {} BranchSim {}
}

metric_sets! {
    /// Metrics of DHAT, one or several at once, in the configuration of benchmarks.
    ///
    /// By default all but `TotalLifetimes` and the metrics after it are shown, as far as the
    /// mode has them.
    DhatMetrics(SingleMetric: DhatMetric) = DHAT(MetricKind::DHAT) {}

    /// Metrics of memcheck, helgrind and DRD, one or several at once, in the configuration of benchmarks.
    ///
    /// By default the four that count errors are shown.
    ErrorMetrics(SingleMetric: ErrorMetric) = MEMCHECK(MetricKind::MEMCHECK) {
        /// Memcheck's leaks, in bytes and in blocks; helgrind and DRD do not have them.
        Leaks ["leaks"];
    }

    /// Metrics of massif, one or several at once, in the configuration of benchmarks.
    MassifMetrics(SingleMetric: MassifMetric) = MASSIF(MetricKind::MASSIF) {}

    /// Metrics of BBV, one or several at once, in the configuration of benchmarks.
    BbvMetrics(SingleMetric: BbvMetric) = BBV(MetricKind::BBV) {}
}

#[cfg(test)]
mod tests {
    use super::MetricKind::{Bc, EstimatedCycles, L1hits, LLhits, RamHits, TotalRW};
    use super::*;

    #[test]
    fn groups_have_members() {
        for set in [&CALLGRIND, &CACHEGRIND, &MEMCHECK] {
            assert!(set.all.is_sorted());
            assert!(set.groups.iter().all(|group| !set.members(group.group).is_empty()));
        }
        let rates = CALLGRIND.members(MetricGroup::CacheHitRates);
        assert_eq!(rates, [MetricKind::L1HitRate, MetricKind::LLHitRate, MetricKind::RamHitRate]);
    }

    #[test]
    fn names_in_benchmark_files_expand_to_metrics() {
        let callgrind = |metrics: CallgrindMetrics| metrics.kinds(&CALLGRIND);
        assert_eq!(callgrind(CallgrindMetrics::None), []);
        assert_eq!(callgrind(CallgrindMetrics::All), MetricKind::CALLGRIND);
        assert_eq!(callgrind(CallgrindMetrics::CacheHits), [L1hits, LLhits, RamHits]);
        assert_eq!(callgrind(EventKind::L2hits.into()), [LLhits]);
        let default = callgrind(CallgrindMetrics::Default);
        assert_eq!(
            default[..6],
            [MetricKind::Ir, L1hits, LLhits, RamHits, TotalRW, EstimatedCycles]
        );
        let per_unit = [MetricKind::IrPerByte, MetricKind::IrPerElement, MetricKind::IrPerBit];
        assert_eq!(default[6..], per_unit);
        let cachegrind = CachegrindMetrics::from(CachegrindMetric::Bc).kinds(&CACHEGRIND);
        assert_eq!(cachegrind, [Bc]);
        assert_eq!(ErrorMetrics::All.kinds(&MEMCHECK).len(), 12);
        assert_eq!(ErrorMetrics::All.kinds(&ERRORS).len(), 4);
    }
}
