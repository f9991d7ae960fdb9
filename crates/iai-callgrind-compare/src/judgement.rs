//! The change of a benchmark as a whole: better, worse, or not a change of its code.

use std::cmp::Ordering;

use iai_callgrind_plan::metric::{MetricKind, Value};

use super::Change;

/// Number of accesses that the layout of code and data moves between the first level and memory
/// without a change of the code.
const LAYOUT_ACCESSES: u64 = 8;

/// Smallest relevant change of the estimated cycles, as a part of them.
const LAYOUT_SHARE: u64 = 100;

/// A metric of a benchmark with both of its values.
#[derive(Debug, Clone, Copy)]
pub struct JudgedMetric {
    /// The metric.
    pub kind: MetricKind,
    /// The value of this run.
    pub new: Value,
    /// The old value.
    pub old: Option<Value>,
    /// The change is within the tolerance of the benchmark.
    pub is_tolerated: bool,
    /// The metric has a limit that the user set.
    pub is_limited: bool,
    /// A limit of the metric is exceeded.
    pub is_exceeded: bool,
    /// Largest change without a change of the code, if learned.
    pub noise: Option<u64>,
}

/// The change of a benchmark as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// There is no old result.
    New,
    /// The metric with this index decides, and became worse.
    Worse(usize),
    /// The metric with this index decides, and became better.
    Better(usize),
    /// Only metrics that depend on the layout changed, by no more than another layout changes them.
    CachesOnly,
    /// No metric changed by more than its tolerance.
    Unchanged,
}

impl Judgement {
    /// Returns the index of the metric that decides; `None` if the benchmark is neither better nor worse.
    pub fn deciding(self) -> Option<usize> {
        match self {
            Self::Worse(index) | Self::Better(index) => Some(index),
            Self::New | Self::CachesOnly | Self::Unchanged => None,
        }
    }
}

/// Judges a benchmark by its metrics, in the order of its tools.
///
/// The first changed item decides: a metric whose limit is exceeded, a metric with a limit, the
/// instructions, any other count, and the estimated cycles if they changed by more than another
/// layout changes them.
pub fn judge(metrics: &[JudgedMetric]) -> Judgement {
    if metrics.iter().all(|metric| metric.old.is_none()) {
        return Judgement::New;
    }
    let changed = || (0..metrics.len()).filter(|&index| metrics[index].is_changed());
    let is_beyond_layout = |index: &usize| metrics[*index].is_beyond_layout();
    let first = |matches: &dyn Fn(&JudgedMetric) -> bool| {
        changed().filter(is_beyond_layout).find(|&index| matches(&metrics[index]))
    };
    let decides = changed()
        .find(|&index| metrics[index].is_exceeded)
        .or_else(|| first(&|metric| metric.is_limited))
        .or_else(|| first(&|metric| metric.kind == MetricKind::Ir))
        .or_else(|| first(&|metric| !metric.kind.depends_on_layout()))
        .or_else(|| first(&|_| true));
    match decides {
        Some(index) if metrics[index].is_worse() => Judgement::Worse(index),
        Some(index) => Judgement::Better(index),
        None if changed().next().is_some() => Judgement::CachesOnly,
        None => Judgement::Unchanged,
    }
}

impl JudgedMetric {
    fn is_changed(&self) -> bool {
        let change = Change::between(Some(self.new), self.old);
        !self.is_tolerated && change.direction().is_some_and(Ordering::is_ne)
    }

    /// Returns true if the metric changed by more than its tolerance and by more than another
    /// layout changes it.
    pub fn is_significant(&self) -> bool {
        self.is_changed() && self.is_beyond_layout()
    }

    fn is_worse(&self) -> bool {
        let change = Change::between(Some(self.new), self.old);
        let is_greater = change.direction() == Some(Ordering::Greater);
        is_greater != self.kind.is_better_if_higher()
    }

    /// Returns true if the metric changed by more than another layout changes it. Of the cache
    /// metrics, only the estimated cycles can.
    fn is_beyond_layout(&self) -> bool {
        if !self.kind.depends_on_layout() {
            return true;
        }
        let (MetricKind::EstimatedCycles, Value::Count(new), Some(Value::Count(old))) =
            (self.kind, self.new, self.old)
        else {
            return false;
        };
        let by_layout = || (LAYOUT_ACCESSES * self.kind.per_access()).max(old / LAYOUT_SHARE);
        new.abs_diff(old) > self.noise.unwrap_or_else(by_layout)
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{
        AtTGmaxBytes, EstimatedCycles, Ir, L1HitRate, L1hits, LLhits, TotalRW,
    };

    use super::*;

    fn metric(kind: MetricKind, old: u64, new: u64) -> JudgedMetric {
        JudgedMetric {
            kind,
            new: Value::Count(new),
            old: Some(Value::Count(old)),
            is_tolerated: false,
            is_limited: false,
            is_exceeded: false,
            noise: None,
        }
    }

    #[test]
    fn instructions_decide() {
        let metrics = [metric(L1hits, 10, 5), metric(Ir, 100, 101), metric(LLhits, 9, 1)];
        assert_eq!(judge(&metrics), Judgement::Worse(1));
        assert_eq!(judge(&[metric(L1hits, 5, 10), metric(Ir, 100, 99)]), Judgement::Better(1));
        assert_eq!(judge(&[metric(Ir, 100, 100)]), Judgement::Unchanged);
        let new = JudgedMetric { old: None, ..metric(Ir, 0, 100) };
        assert_eq!(judge(&[new]), Judgement::New);
        let tolerated = JudgedMetric { is_tolerated: true, ..metric(Ir, 100, 101) };
        assert_eq!(judge(&[tolerated]), Judgement::Unchanged);
    }

    #[test]
    fn other_counts_decide_after_instructions_and_before_caches() {
        let accesses = metric(TotalRW, 150, 151);
        assert_eq!(judge(&[accesses, metric(Ir, 100, 99)]), Judgement::Better(1));
        let cycles = metric(EstimatedCycles, 10_000, 5_000);
        assert_eq!(judge(&[cycles, metric(Ir, 100, 100), accesses]), Judgement::Worse(2));
        assert_eq!([2, 1].map(Judgement::Worse).map(Judgement::deciding), [Some(2), Some(1)]);
        assert_eq!(Judgement::Better(3).deciding(), Some(3));
        let none = [Judgement::New, Judgement::CachesOnly, Judgement::Unchanged];
        assert_eq!(none.map(Judgement::deciding), [None; 3]);
    }

    #[test]
    fn a_change_by_the_layout_is_not_significant() {
        let is_significant = |metric: JudgedMetric| metric.is_significant();
        let metrics = [
            metric(Ir, 100, 101),
            metric(Ir, 100, 100),
            metric(L1hits, 5, 10),
            metric(EstimatedCycles, 10_000, 10_273),
            metric(EstimatedCycles, 10_000, 10_272),
            JudgedMetric { is_tolerated: true, ..metric(Ir, 100, 101) },
        ];
        let expected = [true, false, false, true, false, false];
        assert_eq!(metrics.map(is_significant), expected);
    }

    #[test]
    fn a_limit_decides_before_instructions() {
        let limited = JudgedMetric { is_limited: true, ..metric(AtTGmaxBytes, 100, 90) };
        assert_eq!(judge(&[metric(Ir, 100, 101), limited]), Judgement::Better(1));
        let unchanged = JudgedMetric { is_limited: true, ..metric(AtTGmaxBytes, 100, 100) };
        assert_eq!(judge(&[unchanged, metric(Ir, 100, 101)]), Judgement::Worse(1));
        let exceeded = JudgedMetric { is_exceeded: true, ..metric(LLhits, 10, 11) };
        assert_eq!(judge(&[metric(Ir, 100, 99), exceeded]), Judgement::Worse(1));
    }

    #[test]
    fn caches_alone_are_no_change_within_the_layout() {
        let cycles = |old, new| [metric(Ir, 100, 100), metric(EstimatedCycles, old, new)];
        assert_eq!(judge(&cycles(10_000, 10_272)), Judgement::CachesOnly);
        assert_eq!(judge(&cycles(10_000, 10_273)), Judgement::Worse(1));
        assert_eq!(judge(&cycles(100_000, 99_000)), Judgement::CachesOnly);
        assert_eq!(judge(&cycles(100_000, 98_999)), Judgement::Better(1));
        let learned = JudgedMetric { noise: Some(5), ..metric(EstimatedCycles, 10_000, 10_006) };
        assert_eq!(judge(&[learned]), Judgement::Worse(0));
        assert_eq!(judge(&[metric(L1hits, 10, 9), metric(LLhits, 1, 2)]), Judgement::CachesOnly);
        let accesses = [metric(Ir, 100, 100), metric(TotalRW, 150, 151)];
        assert_eq!(judge(&accesses), Judgement::Worse(1), "other code");
    }

    #[test]
    fn more_hits_are_better() {
        let rate = JudgedMetric { is_exceeded: true, ..metric(L1HitRate, 90, 99) };
        assert_eq!(judge(&[rate]), Judgement::Better(0));
    }
}
