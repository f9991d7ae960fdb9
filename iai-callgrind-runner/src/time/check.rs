//! Finds out which differences can be seen on this machine: compares benchmarks with themselves, with and without added
//! work.

use super::verdict::{BenchmarkTime, Verdict};

/// Comparisons of benchmarks with themselves.
#[derive(Debug)]
pub(crate) struct TimeCheck {
    pub(crate) benchmarks: Vec<CheckedBenchmark>,
    /// Number of comparisons without added work that had an interval. The true ratio of the others is only about that of the
    /// added work.
    pub(crate) intervals: usize,
    /// Number of these intervals that contain one.
    pub(crate) covered: usize,
    /// Number of comparisons that found out nothing, because they had too few pairs of processes for an interval.
    pub(crate) too_few: usize,
}

/// The comparisons of a benchmark.
#[derive(Debug)]
pub(crate) struct CheckedBenchmark {
    pub(crate) name: String,
    /// For each of [`TimeCheck::ADDED`].
    pub(crate) found: [Found; TimeCheck::ADDED.len()],
}

/// Comparisons with the same added work.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Number of comparisons that had an interval.
    pub(crate) comparisons: usize,
    /// Number of those that found the benchmark to be slower; without added work, to be faster or slower.
    pub(crate) differing: usize,
}

impl TimeCheck {
    /// The work that is added on one side, in hundredths of a percent of the time of the benchmark.
    pub(crate) const ADDED: [u16; 4] = [0, 100, 200, 500];

    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let found = [Found::default(); Self::ADDED.len()];
        let benchmarks = names.map(|name| CheckedBenchmark { name, found });
        Self { benchmarks: benchmarks.collect(), intervals: 0, covered: 0, too_few: 0 }
    }

    /// Adds a comparison of all benchmarks with this added work.
    pub(crate) fn add(&mut self, level: usize, times: &[Option<BenchmarkTime>]) {
        let is_same = Self::ADDED[level] == 0;
        for (benchmark, time) in self.benchmarks.iter_mut().zip(times) {
            let comparison = time.as_ref().and_then(|time| time.comparison.as_ref());
            let Some(comparison) = comparison else { continue };
            let Some((low, high)) = comparison.ratio.wall.interval else {
                self.too_few += 1;
                continue;
            };
            let found = &mut benchmark.found[level];
            found.comparisons += 1;
            found.differing += usize::from(match comparison.verdict {
                Verdict::Slower => true,
                Verdict::Faster => is_same,
                _ => false,
            });
            if is_same {
                self.intervals += 1;
                self.covered += usize::from(low <= 1.0 && 1.0 <= high);
            }
        }
    }

    /// Returns the comparisons of all benchmarks together.
    pub(crate) fn total(&self) -> [Found; Self::ADDED.len()] {
        let mut total = [Found::default(); Self::ADDED.len()];
        for benchmark in &self.benchmarks {
            for (total, found) in total.iter_mut().zip(benchmark.found) {
                total.comparisons += found.comparisons;
                total.differing += found.differing;
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{Estimate, Estimates, TimeComparison};

    fn time(interval: Option<(f64, f64)>, verdict: Verdict) -> BenchmarkTime {
        let estimate = Estimate { value: 1.01, interval, probability: 0.01 };
        let new = Estimates { wall: estimate, cpu: Some(estimate) };
        let comparison =
            TimeComparison { old: new, ratio: new, verdict, exceeded: None, needed: None };
        BenchmarkTime {
            new,
            comparison: Some(comparison),
            processes: 6,
            layouts: None,
            samples: 6,
            calls: 1,
            has_threads: false,
            events: Vec::new(),
            observations: Vec::new(),
        }
    }

    #[test]
    fn comparisons_are_counted_by_what_they_found() {
        let mut check = TimeCheck::new(["a", "b"].map(str::to_owned).into_iter());
        let slower = time(Some((1.005, 1.02)), Verdict::Slower);
        check.add(1, &[Some(slower), Some(time(None, Verdict::TooFew))]);
        check.add(0, &[Some(time(Some((0.9, 0.95)), Verdict::Faster)), None]);
        let [nothing, one, ..] = check.total();
        assert_eq!(nothing, Found { comparisons: 1, differing: 1 });
        assert_eq!(one, Found { comparisons: 1, differing: 1 });
        assert_eq!((check.intervals, check.covered, check.too_few), (1, 0, 1));
    }
}
