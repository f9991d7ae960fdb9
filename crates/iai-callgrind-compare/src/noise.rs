//! The noise of a benchmark: changes of its metrics without a change of its code.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use iai_callgrind_base::note::counted;
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};

use super::Change;

/// Minimum number of pairs of commits, or of layouts, to learn noise from.
pub const LEAST_PAIRS: usize = 3;

/// The layout of code never changes instructions by more than this percentage. A pair with a larger change had another
/// input.
const MOST_INSTRUCTIONS: f64 = 5.0;

/// A limit is this multiple of the largest observed change, because the next change can be larger.
const MARGIN: u64 = 2;

/// Number of accesses that are added to a limit, for few observations or observations without a
/// change.
const SPARE_ACCESSES: u64 = 2;

/// The observations that noise was learned from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Observations {
    /// Number of pairs of recorded commits that did not touch the code.
    pub pairs: usize,
    /// Number of layouts of the same code.
    pub layouts: usize,
}

/// The noise of a benchmark under a tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Noise {
    /// The runs that it was learned from.
    pub observations: Observations,
    metrics: BTreeMap<MetricKind, Moved>,
}

/// The noise of a metric.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Moved {
    /// Largest change.
    largest: u64,
    /// The newest value, to which percentages refer.
    newest: u64,
}

/// The largest change of a metric without a change of the code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// The metric.
    pub kind: MetricKind,
    /// The difference.
    pub largest: u64,
    /// In percent of the newest value; `None` if only that value is zero.
    pub percentage: Option<f64>,
}

/// The changes of a result that are within the noise.
#[derive(Debug, Clone, PartialEq)]
pub struct WithinNoise {
    /// The observations that the noise was learned from.
    pub observations: Observations,
    /// The metrics that changed and stayed below their floors.
    pub floors: Vec<NoiseFloor>,
}

impl fmt::Display for Observations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { pairs, layouts: 0 } => write!(formatter, "{pairs} pairs of commits"),
            Self { pairs: 0, layouts } => write!(formatter, "{layouts} layouts"),
            Self { pairs, layouts } => {
                let pairs = counted(pairs, "pair");
                write!(formatter, "{pairs} of commits and {layouts} layouts")
            }
        }
    }
}

impl Noise {
    /// Returns the noise of these results, which differ in the layout of the same code.
    pub fn of_layouts(results: &[Metrics]) -> Self {
        let observations = Observations { pairs: 0, layouts: results.len() };
        let mut noise = Self { observations, metrics: BTreeMap::new() };
        let mut ranges = BTreeMap::<_, RangeInclusive<u64>>::new();
        for (kind, count) in results.iter().flat_map(counts) {
            let range = ranges.entry(kind).or_insert(count..=count);
            *range = *range.start().min(&count)..=*range.end().max(&count);
        }
        for (kind, range) in ranges {
            let largest = range.end() - range.start();
            noise.metrics.insert(kind, Moved { largest, newest: *range.end() });
        }
        results.last().into_iter().for_each(|newest| noise.set_newest(newest));
        noise
    }

    /// Adds the noise from other observations of the same code.
    pub fn merge(&mut self, other: Self) {
        self.observations.pairs += other.observations.pairs;
        self.observations.layouts += other.observations.layouts;
        for (kind, Moved { largest, newest }) in other.metrics {
            let moved = self.metrics.entry(kind).or_insert(Moved { largest, newest });
            moved.largest = moved.largest.max(largest);
        }
    }

    /// Adds the results of two commits with the same code.
    pub fn add_pair(&mut self, old: &Metrics, new: &Metrics) {
        let instructions = |metrics: &Metrics| metrics.get(MetricKind::Ir);
        let change = Change::between(instructions(new), instructions(old));
        if change != Change::Equal && !change.is_within(MOST_INSTRUCTIONS) {
            return;
        }
        self.observations.pairs += 1;
        self.add(old, new);
    }

    /// Adds the changes between two results.
    fn add(&mut self, old: &Metrics, new: &Metrics) {
        for (kind, new) in counts(new) {
            if let Some(old) = old.count(kind) {
                let moved = self.metrics.entry(kind).or_default();
                moved.largest = moved.largest.max(new.abs_diff(old));
            }
        }
    }

    /// Sets the newest values.
    pub fn set_newest(&mut self, newest: &Metrics) {
        for (kind, moved) in &mut self.metrics {
            moved.newest = newest.count(*kind).unwrap_or(moved.newest);
        }
    }

    /// Returns true if there are enough observations of one kind.
    pub fn is_known(&self) -> bool {
        let Observations { pairs, layouts } = self.observations;
        pairs >= LEAST_PAIRS || layouts >= LEAST_PAIRS
    }

    /// Returns the noise of each metric; none without enough observations.
    pub fn floors(&self) -> impl Iterator<Item = NoiseFloor> {
        let known = self.metrics.iter().filter(|_| self.is_known());
        known.map(|(&kind, &Moved { largest, newest })| NoiseFloor {
            kind,
            largest,
            percentage: percentage(largest, newest),
        })
    }

    /// Returns a limit of a metric in percent; `None` if its noise is not known or it needs none:
    /// more hits of the first level are not worse.
    pub(super) fn limit(&self, kind: MetricKind) -> Option<f64> {
        if !self.is_known() || kind == MetricKind::L1hits {
            return None;
        }
        let Moved { largest, newest } = *self.metrics.get(&kind)?;
        percentage(
            largest.saturating_mul(MARGIN).saturating_add(SPARE_ACCESSES * kind.per_access()),
            newest,
        )
    }

    /// Selects the metrics that changed within their noise; `None` if there are none, or if the
    /// instructions changed by more than their noise.
    pub fn cover(&self, old: &Metrics, new: &Metrics, kinds: &[MetricKind]) -> Option<WithinNoise> {
        let distance = |kind| Some(new.count(kind)?.abs_diff(old.count(kind)?));
        let is_within =
            |floor: &NoiseFloor| distance(floor.kind).is_some_and(|by| by <= floor.largest);
        let mut floors: Vec<_> = self.floors().filter(is_within).collect();
        if !floors.iter().any(|floor| floor.kind == MetricKind::Ir) {
            return None;
        }
        floors.retain(|floor| kinds.contains(&floor.kind) && distance(floor.kind) != Some(0));
        (!floors.is_empty()).then_some(WithinNoise { observations: self.observations, floors })
    }
}

/// Returns the counts of the tool and their sums, without rates and counters.
fn counts(metrics: &Metrics) -> impl Iterator<Item = (MetricKind, u64)> {
    metrics.lines().filter_map(|(kind, value)| match value {
        Value::Count(count) if !kind.is_counter() => Some((kind, count)),
        _ => None,
    })
}

fn percentage(part: u64, whole: u64) -> Option<f64> {
    let share =
        Change::between(Some(Value::Count(whole.saturating_add(part))), Some(Value::Count(whole)));
    share.percentage().filter(|percentage| percentage.is_finite())
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{
        D1mr, D1mw, DLmr, DLmw, Dr, Dw, EstimatedCycles, I1mr, ILmr, Ir, L1hits, LLhits, RamHits,
        TotalRW,
    };
    use iai_callgrind_plan::{Counter, CounterName, CounterValue};

    use super::*;

    const SHOWN: [MetricKind; 6] = [Ir, L1hits, LLhits, RamHits, TotalRW, EstimatedCycles];

    /// Returns a result with this number of instructions, accesses to the last level and accesses to the memory.
    fn metrics(instructions: u64, last_level: u64, memory: u64) -> Metrics {
        let none = [Dw, D1mw, DLmw, I1mr, ILmr].map(|kind| (kind, 0));
        let counted = [(Ir, instructions), (Dr, 200), (D1mr, last_level + memory), (DLmr, memory)];
        counted.into_iter().chain(none).collect()
    }

    fn noise(pairs: &[[Metrics; 2]]) -> Noise {
        let mut noise = Noise::default();
        for [old, new] in pairs {
            noise.add_pair(old, new);
            noise.set_newest(new);
        }
        noise
    }

    /// Returns the noise of accesses that change by up to two, with up to one to the memory.
    fn known() -> Noise {
        let [a, b, c, d] = [(40, 10), (42, 9), (41, 10), (40, 10)]
            .map(|(last_level, memory)| metrics(1000, last_level, memory));
        noise(&[[a, b.clone()], [b, c.clone()], [c, d]])
    }

    #[test]
    fn the_largest_change_is_the_noise() {
        let floors: BTreeMap<_, _> =
            known().floors().map(|floor| (floor.kind, (floor.largest, floor.percentage))).collect();
        assert_eq!(floors[&LLhits], (2, Some(5.0)));
        assert_eq!(floors[&RamHits], (1, Some(10.0)));
        assert_eq!(floors[&Ir], (0, Some(0.0)));
        assert_eq!(floors[&DLmw], (0, Some(0.0)), "zero of zero");
        let [a, b] = [metrics(1000, 40, 10), metrics(1000, 44, 10)];
        let too_few = noise(&[[a.clone(), b.clone()], [b, a]]);
        assert_eq!((too_few.floors().count(), too_few.limit(LLhits)), (0, None));
    }

    #[test]
    fn counters_have_no_noise() {
        let counter = |value| Counter {
            name: CounterName::new("nodes").unwrap(),
            value: CounterValue::Count(value),
        };
        let result = |value| metrics(1000, 40, 10).with_counters(vec![counter(value)]);
        let noise = Noise::of_layouts(&[1, 5, 3].map(result));
        assert!(noise.is_known() && noise.floors().all(|floor| floor.largest == 0));
    }

    #[test]
    fn limits_have_a_margin() {
        let noise = known();
        // Twice the change of 2 of 40, and 2 accesses
        assert_eq!(noise.limit(LLhits), Some(15.0));
        assert_eq!(noise.limit(RamHits), Some(40.0));
        assert_eq!((noise.limit(Ir), noise.limit(TotalRW)), (Some(0.0), Some(0.0)));
        assert_eq!((noise.limit(L1hits), noise.limit(DLmw)), (None, None));
    }

    #[test]
    fn a_pair_with_other_input_does_not_count() {
        let [a, b] = [metrics(1000, 40, 10), metrics(1060, 90, 10)];
        assert_eq!(noise(&[[a.clone(), b.clone()], [b, a.clone()]]).observations.pairs, 0);
        // Searches for a byte depend on the address
        let moved = metrics(1012, 40, 10);
        let noise = noise(&[[a.clone(), moved.clone()], [moved, a.clone()], [a.clone(), a]]);
        assert_eq!((noise.observations.pairs, noise.limit(Ir)), (3, Some(2.4)));
    }

    #[test]
    fn the_spread_over_layouts_is_noise_too() {
        let layouts =
            [(40, 10), (46, 10), (43, 11)].map(|(last, memory)| metrics(1000, last, memory));
        let mut noise = Noise::of_layouts(&layouts);
        let floor = |noise: &Noise, kind| noise.floors().find(|floor| floor.kind == kind);
        assert_eq!(floor(&noise, LLhits).map(|floor| floor.largest), Some(6), "of any two");
        assert_eq!(
            (noise.limit(Ir), noise.observations.to_string()),
            (Some(0.0), "3 layouts".to_owned())
        );
        assert!(!Noise::of_layouts(&layouts[..2]).is_known());

        noise.merge(known());
        assert_eq!(floor(&noise, LLhits).map(|floor| floor.largest), Some(6));
        assert_eq!(floor(&noise, RamHits).map(|floor| floor.largest), Some(1));
        assert_eq!(noise.observations.to_string(), "3 pairs of commits and 3 layouts");
        noise.merge(Noise::of_layouts(&layouts[..2]));
        assert_eq!(noise.observations.to_string(), "3 pairs of commits and 5 layouts");
    }

    #[test]
    fn changes_within_the_noise() {
        let noise = known();
        let old = metrics(1000, 40, 10);
        let covered = |new: &Metrics| {
            let within = noise.cover(&old, new, &SHOWN)?;
            Some(within.floors.iter().map(|floor| floor.kind).collect::<Vec<_>>())
        };
        assert_eq!(covered(&metrics(1000, 41, 10)), Some(vec![L1hits, LLhits, EstimatedCycles]));
        assert_eq!(covered(&metrics(1000, 38, 10)), Some(vec![LLhits, EstimatedCycles]));
        assert_eq!(covered(&metrics(1000, 50, 11)), Some(vec![RamHits]));
        assert_eq!(covered(&metrics(1001, 41, 10)), None, "other instructions");
        assert_eq!(covered(&old), None, "no change");
    }
}
