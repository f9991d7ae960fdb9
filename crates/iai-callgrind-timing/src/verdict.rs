//! Verdicts about the times of benchmarks, of all benchmarks of a run together.

use std::time::Duration;

use iai_callgrind_plan::Percentage;

use super::case::{CaseTimes, SideTime};
use super::options::SLICE;
use super::statistics::{Estimate, are_significant};

/// The smallest difference that is called one, as a part of the old time. A reading of the clock and a call of the benchmark
/// are as large a part of a batch, so that a smaller difference can be one of these.
const RESOLUTION: f64 = 0.001;

/// The smallest difference that is called one, in nanoseconds: a cycle of a CPU. In a call that takes a few cycles, other work of
/// the machine makes a difference of a part of one.
const CYCLE: f64 = 0.3;

/// Minimum part of its time without a CPU for a benchmark that waits. An interrupted benchmark has
/// less.
const SHORTEST_WAIT: f64 = 0.1;

/// The times of a call, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// The time that passes.
    pub wall: Estimate,
    /// The time of all threads on a CPU; `None` if its clock did not advance.
    pub cpu: Option<Estimate>,
}

/// The time of a benchmark, and its difference from that of the other side.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkTime {
    /// The times of this side.
    pub new: Estimates,
    /// The difference from the other side, if there is one.
    pub comparison: Option<TimeComparison>,
    /// Number of processes on each side.
    pub processes: usize,
    /// Number of layouts on each side; `None` if all processes have the same.
    pub layouts: Option<usize>,
    /// Number of samples on each side.
    pub samples: usize,
    /// Number of calls in a batch.
    pub calls: u16,
    /// The case is a command, or starts threads.
    pub has_threads: bool,
    /// The ratios of the times that pass, of each pair; without another side, the time of each process in nanoseconds.
    pub observations: Vec<f64>,
}

/// The difference of the times of two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeComparison {
    /// The times of the other side.
    pub old: Estimates,
    /// The new time divided by the old one.
    pub ratio: Estimates,
    /// The reading of the ratio.
    pub verdict: Verdict,
    /// The limit that is exceeded.
    pub exceeded: Option<Percentage>,
    /// The pairs that are missing, if it has too few for any verdict among so many benchmarks.
    pub needed: Option<NeededPairs>,
}

/// The pairs with which a benchmark can have a verdict among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NeededPairs {
    /// The time that they take.
    pub budget: Duration,
    /// Their number.
    pub number: usize,
}

impl NeededPairs {
    /// Returns what these times lack among this many benchmarks; `None` if they have enough pairs.
    fn of<E>(times: &CaseTimes<E>, benchmarks: usize) -> Option<Self> {
        let (pairs, number) = (times.pairs.len(), times.end.least_pairs(benchmarks));
        let of = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let is_missing = (1..number).contains(&pairs);
        // A longer budget has longer rounds, up to this one
        is_missing.then(|| Self { budget: SLICE.max(times.spent / of(pairs)) * of(number), number })
    }
}

/// The verdict of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// The new side takes less time.
    Faster,
    /// The new side takes more time.
    Slower,
    /// The interval contains one, or the difference is smaller than a batch can show.
    NoDifference,
    /// The interval is on one side, but among so many benchmarks one can be there by chance.
    Chance,
    /// There were not enough pairs of processes for an interval.
    TooFew,
}

impl BenchmarkTime {
    /// Returns `true` if its time on a CPU is not the time that passes: it starts threads, is a command, or waits.
    pub fn has_own_cpu_time(&self) -> bool {
        let is_wait = |cpu: Estimate| 1.0 - cpu.value / self.new.wall.value > SHORTEST_WAIT;
        self.has_threads || self.new.cpu.is_none_or(is_wait)
    }

    /// Returns `true` if the whole interval of the ratio is beyond the limit, in percent of the old time.
    pub fn exceeds(&mut self, limit: Option<Percentage>) -> bool {
        let Some(comparison) = &mut self.comparison else { return false };
        let interval =
            comparison.ratio.wall.interval.filter(|_| comparison.verdict == Verdict::Slower);
        comparison.exceeded =
            limit.filter(|limit| interval.is_some_and(|(low, _)| low > 1.0 + limit.get() / 100.0));
        comparison.exceeded.is_some()
    }
}

impl Verdict {
    /// Returns the verdict about this ratio to the old time in nanoseconds.
    fn of(ratio: &Estimate, old: f64, is_significant: bool) -> Self {
        match ratio.interval {
            None => Self::TooFew,
            Some((low, high))
                if low <= 1.0 && high >= 1.0
                    || (ratio.value - 1.0).abs() < smallest_difference(old) =>
            {
                Self::NoDifference
            }
            Some(_) if !is_significant => Self::Chance,
            Some(_) if ratio.value < 1.0 => Self::Faster,
            Some(_) => Self::Slower,
        }
    }
}

/// Returns the smallest difference from this time in nanoseconds that has a verdict, as a part of the time.
pub fn smallest_difference(time: f64) -> f64 {
    RESOLUTION.max(CYCLE / time)
}

/// Returns the times of the benchmarks that have some.
pub fn judge<E>(times: &[&CaseTimes<E>]) -> Vec<Option<BenchmarkTime>> {
    let ratio = |times: &&CaseTimes<E>| {
        times.failure.is_none().then(|| estimates(|part| times.ratio(part))).flatten()
    };
    let ratios: Vec<_> = times.iter().map(ratio).collect();
    // A benchmark without an interval, or with an error, is never called different
    let is_tested = |ratio: &&Estimates| ratio.wall.interval.is_some();
    let tested = ratios.iter().flatten().filter(is_tested);
    let probabilities: Vec<_> = tested.map(|ratio| ratio.wall.probability).collect();
    let mut significant = are_significant(&probabilities).into_iter();
    let judged = times.iter().zip(ratios).map(|(times, ratio)| {
        let of_side = |side| estimates(|part| times.time(side, part));
        let comparison = ratio.and_then(|ratio| {
            let is_tested = is_tested(&&ratio);
            let is_significant = is_tested && significant.next().unwrap_or(false);
            let old = of_side(1)?;
            let verdict = Verdict::of(&ratio.wall, old.wall.value, is_significant);
            let is_unclear = verdict == Verdict::Chance;
            let needed = is_unclear.then(|| NeededPairs::of(times, probabilities.len())).flatten();
            Some(TimeComparison { old, ratio, verdict, exceeded: None, needed })
        });
        Some(BenchmarkTime {
            new: of_side(0)?,
            comparison,
            processes: times.processes,
            layouts: times.layouts,
            samples: times.samples,
            calls: times.calls,
            has_threads: times.has_threads,
            observations: times.observations(),
        })
    });
    judged.collect()
}

/// Returns the estimates of wall-clock and CPU time; `None` without wall-clock time.
fn estimates(of_part: impl Fn(fn(&SideTime) -> f64) -> Option<Estimate>) -> Option<Estimates> {
    Some(Estimates { wall: of_part(|time| time.wall)?, cpu: of_part(|time| time.cpu) })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::super::case::Pair;
    use super::super::options::TimeOptions;
    use super::*;

    /// Returns the verdict about this ratio to an old time of a microsecond.
    fn verdict(value: f64, interval: (f64, f64)) -> Verdict {
        Verdict::of(&Estimate { value, interval: Some(interval), probability: 0.001 }, 1e3, true)
    }

    /// Returns what was measured of a case in eight pairs of processes with these times in nanoseconds.
    fn case(new: (f64, f64), old: (f64, f64)) -> CaseTimes<Infallible> {
        let time = |wall, cpu| SideTime { wall, cpu };
        let ratio = time((new.0 / old.0).ln(), (new.1 / old.1).ln());
        let sides = vec![time(new.0, new.1), time(old.0, old.1)];
        let pairs = vec![Pair { sides, ratio: Some(ratio) }; 8];
        let options = TimeOptions { budget: Duration::from_secs(2), precision: None };
        CaseTimes { pairs, ..CaseTimes::new(&options) }
    }

    /// Returns `true` if a case with these times in nanoseconds has a CPU time of its own.
    fn has_own_cpu_time(wall: f64, cpu: f64, has_threads: bool) -> bool {
        let case = CaseTimes { has_threads, ..case((wall, cpu), (wall, cpu)) };
        judge(&[&case])[0].as_ref().unwrap().has_own_cpu_time()
    }

    #[test]
    fn the_time_on_a_cpu_is_another_one_with_threads_or_a_wait() {
        assert!(!has_own_cpu_time(1000.0, 1000.0, false));
        assert!(!has_own_cpu_time(1000.0, 950.0, false), "it was interrupted");
        assert!(has_own_cpu_time(1000.0, 10.0, false));
        assert!(has_own_cpu_time(1000.0, 1000.0, true));
    }

    #[test]
    fn times_are_compared_if_the_clock_of_the_cpu_does_not_advance() {
        for (new, old) in [(0.0, 0.0), (0.0, 10.0), (10.0, 0.0)] {
            let time = judge(&[&case((1020.0, new), (1000.0, old))]).remove(0).unwrap();
            let comparison = time.comparison.as_ref().unwrap();
            assert_eq!(comparison.verdict, Verdict::Slower);
            assert_eq!(comparison.ratio.cpu, None);
            assert_eq!(
                (time.new.cpu.is_none(), comparison.old.cpu.is_none()),
                (new == 0.0, old == 0.0)
            );
            assert!(time.has_own_cpu_time());
        }
    }

    #[test]
    fn a_difference_has_the_size_that_batches_can_show() {
        assert_eq!(verdict(1.002, (1.001, 1.003)), Verdict::Slower);
        assert_eq!(verdict(0.998, (0.997, 0.999)), Verdict::Faster);
        assert_eq!(verdict(1.0005, (1.0002, 1.0008)), Verdict::NoDifference, "of a reading");
        assert_eq!(verdict(1.002, (0.999, 1.004)), Verdict::NoDifference);
    }

    #[test]
    fn an_unclear_benchmark_says_how_many_pairs_it_needs() {
        let needed = |number: usize, spent| {
            let case = || CaseTimes { spent, ..case((1020.0, 1020.0), (1000.0, 1000.0)) };
            let cases: Vec<_> = (0..number).map(|_| case()).collect();
            let judged = judge(&cases.iter().collect::<Vec<_>>());
            judged[0].as_ref().unwrap().comparison.as_ref().unwrap().needed
        };
        assert_eq!(needed(6, Duration::from_secs(1)), None, "eight pairs are enough");
        let seconds = |number, spent| {
            let needed = needed(number, Duration::from_secs(spent)).unwrap();
            (needed.number, needed.budget.as_secs_f64())
        };
        assert_eq!(seconds(20, 4), (10, 5.0));
        assert_eq!(seconds(20, 1), (10, 2.0), "the rounds become longer first");
    }

    #[test]
    fn a_difference_of_less_than_a_cycle_is_not_one() {
        let judged = |new, old| {
            let mut time = judge(&[&case((new, new), (old, old))]).remove(0).unwrap();
            let exceeds = time.exceeds(Some(Percentage::new(1.0)));
            (time.comparison.unwrap().verdict, exceeds)
        };
        assert_eq!(judged(2.9, 2.7), (Verdict::NoDifference, false));
        assert_eq!(judged(2.7, 2.9), (Verdict::NoDifference, false));
        assert_eq!(judged(3.1, 2.7), (Verdict::Slower, true));
        assert_eq!(judged(102.0, 100.0), (Verdict::Slower, true));
    }
}
