//! Everything that was measured of a case.

use std::time::Duration;

use iai_callgrind_plan::protocol::{BatchTime, Batches};

use super::options::TimeOptions;
use super::statistics::{End, Estimate, LEAST_PAIRS, median_of};

/// Number of times that the budget may be spent until there are enough pairs for an interval.
const LONGEST: u32 = 4;

/// Number of times that the distance of two looks at the precision is in the next power of two.
const LOOKS: usize = 16;

/// The time of a call on one side, in nanoseconds: the median of the samples of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideTime {
    /// The time that passes.
    pub wall: f64,
    /// The time of all threads on a CPU.
    pub cpu: f64,
}

/// The times of a case in the processes of a round.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The time on each side.
    pub sides: Vec<SideTime>,
    /// The logarithms of the ratios of the first to the second side, if there are two.
    pub ratio: Option<SideTime>,
}

/// Everything that was measured of a case.
#[derive(Debug)]
pub struct CaseTimes<E> {
    /// The pairs of processes.
    pub pairs: Vec<Pair>,
    /// Number of processes on each side.
    pub processes: usize,
    /// Number of layouts on each side, one for each pair; `None` if the pairs are processes.
    pub layouts: Option<usize>,
    /// Number of samples on each side.
    pub samples: usize,
    /// Number of calls in a batch.
    pub calls: u16,
    /// The case starts threads, which use all CPUs.
    pub has_threads: bool,
    /// The routine measures itself, and all of it was timed.
    pub measures_itself: bool,
    /// The reason why it has no more pairs, and the side.
    pub failure: Option<(usize, E)>,
    /// The reason why it has no more pairs, if it has not failed.
    pub(super) end: End,
    /// The interval is as precise as it has to be.
    pub(super) is_precise: bool,
    pub(super) spent: Duration,
    /// The duration of the last block of samples of all sides.
    pub(super) last_block: Duration,
    /// Number of batches of a sample, and `true` if an additional one warms up; `None` before the
    /// first sample.
    pub(super) batches: Option<(u8, bool)>,
}

impl<E> Default for CaseTimes<E> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            processes: 0,
            layouts: None,
            samples: 0,
            calls: 0,
            has_threads: false,
            measures_itself: false,
            failure: None,
            end: End::default(),
            is_precise: false,
            spent: Duration::ZERO,
            last_block: Duration::ZERO,
            batches: None,
        }
    }
}

impl<E> CaseTimes<E> {
    /// Returns no measurements, which these options end.
    pub fn new(options: &TimeOptions) -> Self {
        let end = options.precision.map_or(End::Planned, |_| End::Precise);
        Self { end, ..Self::default() }
    }

    /// Returns the ratio of the sides by this part of the time; `None` without pairs.
    pub fn ratio(&self, part: fn(&SideTime) -> f64) -> Option<Estimate> {
        let pairs = self.pairs.iter().filter_map(|pair| pair.ratio.as_ref().map(part));
        let logarithms: Vec<_> = pairs.filter(|ratio| ratio.is_finite()).collect();
        (!logarithms.is_empty()).then(|| Estimate::of_pairs(&logarithms, self.end))
    }

    /// Returns the time of a call on a side, in nanoseconds, as a ratio to one nanosecond; `None` without pairs.
    pub fn time(&self, side: usize, part: fn(&SideTime) -> f64) -> Option<Estimate> {
        let times = self.pairs.iter().filter_map(|pair| pair.sides.get(side).map(part));
        let logarithms: Vec<_> = times.map(f64::ln).filter(|time| time.is_finite()).collect();
        (!logarithms.is_empty()).then(|| Estimate::of_pairs(&logarithms, self.end))
    }

    /// Returns the ratio of the times that pass of each pair, or the time in each process in nanoseconds.
    pub fn observations(&self) -> Vec<f64> {
        let observation = |pair: &Pair| match &pair.ratio {
            Some(ratio) => Some(ratio.wall.exp()),
            None => pair.sides.first().map(|side| side.wall),
        };
        let observations = self.pairs.iter().filter_map(observation);
        observations.filter(|observation| observation.is_finite()).collect()
    }

    /// Adds the times of a layout as one pair.
    pub fn add_layout(&mut self, times: Self) {
        let ratios: Vec<_> = times.pairs.iter().filter_map(|pair| pair.ratio).collect();
        let sides = times.pairs.first().map_or(0, |pair| pair.sides.len());
        let of_side = |side| times.pairs.iter().map(|pair| pair.sides[side]).collect::<Vec<_>>();
        if !ratios.is_empty() {
            let sides = (0..sides).map(|side| SideTime::median(&of_side(side))).collect();
            self.pairs.push(Pair { sides, ratio: Some(SideTime::median(&ratios)) });
        }
        self.processes += times.processes;
        self.samples += times.samples;
        self.calls = self.calls.max(times.calls);
        self.measures_itself |= times.measures_itself;
        self.layouts = Some(self.pairs.len());
        self.failure = self.failure.take().or(times.failure);
    }

    /// Looks at the precision after another pair, more rarely the more pairs there are.
    pub fn look(&mut self, options: &TimeOptions) {
        let number = self.pairs.len();
        let distance = (number.next_power_of_two() / LOOKS).max(1);
        if number >= LEAST_PAIRS + 2 && number % distance == 0 {
            self.is_precise = self.has_precision(options) == Some(true);
        }
    }

    fn has_precision(&self, options: &TimeOptions) -> Option<bool> {
        let precision = options.precision?;
        let ratio = self.ratio(|time| time.wall).or_else(|| self.time(0, |time| time.wall))?;
        let (low, high) = ratio.interval?;
        Some(high / ratio.value - 1.0 <= precision && 1.0 - low / ratio.value <= precision)
    }

    /// Returns `true` if the result is not precise yet and another round is within the budget.
    pub fn is_unfinished(&self, options: &TimeOptions) -> bool {
        // The budget can be exceeded to reach an interval
        let most = if self.pairs.len() < LEAST_PAIRS { LONGEST } else { 1 };
        let is_within = self.pairs.is_empty()
            || self.spent + self.last_block <= options.budget.saturating_mul(most);
        self.failure.is_none() && is_within && !self.is_precise
    }

    pub(super) fn batches(&self, layout: u8, cpu: Option<u16>) -> Batches {
        let (number, warm_up) = self.batches.unwrap_or((1, false));
        let cpu = cpu.filter(|_| !self.has_threads);
        Batches { calls: self.calls.max(1), number, warm_up, layout, cpu }
    }
}

impl SideTime {
    /// Returns the median of times, each part by itself.
    pub(super) fn median(times: &[Self]) -> Self {
        Self::of(times, |part| median_of(part.to_vec()))
    }

    /// Combines times, each part by itself.
    pub(super) fn of(times: &[Self], combine: impl Fn(&[f64]) -> f64) -> Self {
        let part = |part: fn(&Self) -> f64| combine(&times.iter().map(part).collect::<Vec<_>>());
        Self { wall: part(|time| time.wall), cpu: part(|time| time.cpu) }
    }
}

impl From<BatchTime> for SideTime {
    fn from(batch: BatchTime) -> Self {
        let calls = f64::from(batch.calls.max(1));
        Self { wall: batch.wall as f64 / calls, cpu: batch.cpu as f64 / calls }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Takes pairs with these logarithms of ratios until they are precise. Returns their number.
    fn pairs_until_precise(precision: Option<f64>, logarithm: impl Fn(usize) -> f64) -> usize {
        let options = TimeOptions { budget: Duration::from_secs(1), precision };
        let mut times = CaseTimes::<Infallible>::new(&options);
        while times.is_unfinished(&options) && times.pairs.len() < 100 {
            let [old, ratio] =
                [1.0, logarithm(times.pairs.len())].map(|wall| SideTime { wall, cpu: wall });
            times.pairs.push(Pair { sides: vec![old; 2], ratio: Some(ratio) });
            times.look(&options);
        }
        times.pairs.len()
    }

    #[test]
    fn a_precise_interval_is_the_end() {
        assert_eq!(pairs_until_precise(Some(0.01), |_| 0.0), 8);
        assert_eq!(pairs_until_precise(Some(0.01), |index| index as f64), 100);
        assert_eq!(pairs_until_precise(None, |_| 0.0), 100);
        // The first ones are far from each other: with 40 of them, looks are four pairs apart
        let settles = |index| if index < 4 { 0.1 } else { 0.0 };
        let end = pairs_until_precise(Some(0.01), settles);
        assert!((12..40).contains(&end), "{end}");
        let settles_late = |index| if index < 13 { 0.1 } else { 0.0 };
        assert_eq!(pairs_until_precise(Some(0.01), settles_late) % 4, 0);
    }

    #[test]
    fn the_largest_budget_has_no_overflow() {
        let options = TimeOptions { budget: Duration::MAX, precision: None };
        assert!(CaseTimes::<Infallible>::new(&options).is_unfinished(&options));
    }
}
