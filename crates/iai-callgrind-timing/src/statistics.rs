//! The difference of two sides from pairs of processes, each with the logarithm of a ratio of times.
//!
//! A process has its own layout of the address space and its own physical pages, so that the samples of one process are not
//! independent, however many they are. The pair of processes is the unit. If both sides are the same, which of the two
//! processes of a pair is the slower one is chance, and the logarithm of their ratio is positive as often as negative. Nothing
//! else is assumed: neither a normal distribution, which a loaded machine does not have, nor equal variances.

use std::iter::successors;

/// The ratio of the times of two sides, or the time of one, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The ratio, new to old: the Hodges-Lehmann estimate, the median of the means of two pairs.
    pub value: f64,
    /// The interval that contains the true ratio in at least 95 of 100 runs. `None` with fewer pairs than this takes.
    pub interval: Option<(f64, f64)>,
    /// The probability of a difference as large as this one, if both sides are the same: that of Wilcoxon's signed-rank test.
    pub probability: f64,
}

/// The probability that an interval does not contain the true ratio, at most.
const ERROR: f64 = 0.05;

/// The probability for a single look at pairs that can be the last ones because of their interval. Pairs that happen to be close
/// to each other end the measurement, so that 5 % would become 6.5 %; this becomes 4.7 %.
const ERROR_OF_LOOK: f64 = 0.035;

/// The smallest number of pairs for which there is an interval.
pub(crate) const LEAST_PAIRS: usize = 6;

/// The reason why there are no more pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    /// The time is up, or there are no more layouts.
    #[default]
    Planned,
    /// The time is up, or the interval is precise enough.
    Precise,
}

impl End {
    /// Returns the probability that the interval of as many pairs does not contain the true ratio.
    fn error(self) -> f64 {
        match self {
            Self::Planned => ERROR,
            Self::Precise => ERROR_OF_LOOK,
        }
    }

    /// Returns the smallest number of pairs with which one of this many benchmarks can be significant.
    pub fn least_pairs(self, benchmarks: usize) -> usize {
        // If all pairs are on one side
        let probabilities = successors(Some(2.0_f64), |probability| Some(probability / 2.0));
        let is_chance = |probability: &f64| probability * benchmarks as f64 > self.error();
        probabilities.take_while(is_chance).count()
    }
}

impl Estimate {
    /// Returns the ratio of pairs with these logarithms, at least one.
    pub fn of_pairs(logarithms: &[f64], end: End) -> Self {
        let mut means = pair_means(logarithms);
        means.sort_by(f64::total_cmp);
        let ranks = RankSums::new(logarithms.len());
        let above = means.iter().filter(|mean| **mean > 0.0).count();
        let equal = means.iter().filter(|mean| **mean == 0.0).count();
        // The sum of the ranks of positive pairs is the number of means above zero
        let below = means.len() - above - equal;
        let probability = 2.0 * ranks.at_most(above.min(below) + equal);
        let probability = (probability * (ERROR / end.error())).min(1.0);
        let interval = ranks
            .quantile(end.error() / 2.0)
            .map(|outside| (means[outside].exp(), means[means.len() - 1 - outside].exp()));
        Self { value: median(&means).exp(), interval, probability }
    }
}

/// Returns the means of all pairs of these numbers, each with itself too.
fn pair_means(numbers: &[f64]) -> Vec<f64> {
    let means = numbers.iter().enumerate().flat_map(|(index, one)| {
        numbers[..=index].iter().map(move |other| f64::midpoint(*one, *other))
    });
    means.collect()
}

/// Returns the median of sorted numbers, at least one.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

/// Returns the median of numbers, at least one.
pub(crate) fn median_of(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    median(&numbers)
}

/// The distribution of the sum of the ranks of positive numbers, if each of `n` numbers is positive or negative by chance.
struct RankSums {
    /// The probability of each sum.
    probabilities: Vec<f64>,
}

impl RankSums {
    fn new(number: usize) -> Self {
        let mut probabilities = vec![1.0];
        for rank in 1..=number {
            let mut next = vec![0.0; probabilities.len() + rank];
            for (sum, probability) in probabilities.iter().enumerate() {
                next[sum] += probability / 2.0;
                next[sum + rank] += probability / 2.0;
            }
            probabilities = next;
        }
        Self { probabilities }
    }

    /// Returns the probability of this sum or a smaller one.
    fn at_most(&self, sum: usize) -> f64 {
        self.probabilities.iter().take(sum + 1).sum()
    }

    /// Returns the largest sum that is, together with the smaller ones, at most this probable; `None` if zero is more probable.
    fn quantile(&self, probability: f64) -> Option<usize> {
        let mut total = 0.0;
        let within = self.probabilities.iter().take_while(|next| {
            total += **next;
            total <= probability
        });
        within.count().checked_sub(1)
    }
}

/// Returns which of these probabilities are too small for chance, if it may be as much as 5 % that any of them is one: by
/// Holm's procedure.
pub(crate) fn are_significant(probabilities: &[f64]) -> Vec<bool> {
    let mut order: Vec<_> = (0..probabilities.len()).collect();
    order.sort_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    let mut significant = vec![false; probabilities.len()];
    for (tested, index) in order.into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 benchmarks")]
        let left = (probabilities.len() - tested) as f64;
        if probabilities[index] * left > ERROR {
            break;
        }
        significant[index] = true;
    }
    significant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "a score")]
    fn the_probability_is_that_of_the_signed_rank_test() {
        // Published example of R's `wilcox.test`: depression scores of nine patients, V = 40, p = 0.03906
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(one, two)| one - two).collect();
        let ratio = Estimate::of_pairs(&differences, End::Planned);
        assert!(is_near(ratio.probability, 20.0 / 512.0), "{ratio:?}");
        assert!(is_near(ratio.value.ln(), 0.46), "{}", ratio.value.ln());
        let (low, high) = ratio.interval.unwrap();
        assert!(is_near(low.ln(), 0.01), "{}", low.ln());
        assert!(is_near(high.ln(), 0.786), "{}", high.ln());
    }

    #[test]
    fn there_is_no_interval_with_few_pairs() {
        let logarithms = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
        for (end, error) in [(End::Planned, 0.05), (End::Precise, 0.035)] {
            assert_eq!(Estimate::of_pairs(&logarithms[..LEAST_PAIRS - 1], end).interval, None);
            let ratio = Estimate::of_pairs(&logarithms[..LEAST_PAIRS], end);
            assert_eq!(ratio.interval, Some((0.1_f64.exp(), 0.6_f64.exp())));
            assert!(is_near(ratio.probability, 2.0 / 64.0 * 0.05 / error));
            assert_eq!(are_significant(&[ratio.probability]), [true], "as the interval says");
        }
    }

    #[test]
    fn more_benchmarks_need_more_pairs() {
        let least = [1, 6, 7, 25, 100].map(|number| End::Planned.least_pairs(number));
        assert_eq!(least, [LEAST_PAIRS, 8, 9, 10, 12]);
        for (end, number) in [(End::Planned, 25), (End::Precise, 20)] {
            let is_found = |pairs: usize| {
                let mut probabilities = vec![1.0; number];
                probabilities[0] = Estimate::of_pairs(&vec![0.1; pairs], end).probability;
                are_significant(&probabilities)[0]
            };
            let least = end.least_pairs(number);
            assert_eq!([least - 1, least].map(is_found), [false, true], "{end:?}");
        }
    }

    #[test]
    fn equal_sides_have_the_ratio_one() {
        let ratio = Estimate::of_pairs(&[0.0; 8], End::Planned);
        assert_eq!((ratio.value, ratio.interval, ratio.probability), (1.0, Some((1.0, 1.0)), 1.0));
    }

    #[test]
    fn an_interval_contains_the_true_ratio_as_often_as_it_says() {
        // Skewed and with outliers, but symmetric around the truth: a product of two uniform numbers with a sign
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let truth = 0.03_f64;
        let trials = 4000;
        let covered = (0..trials).filter(|_| {
            let pair = |_| {
                let size = uniform() * uniform() * if uniform() < 0.1 { 10.0 } else { 1.0 };
                truth + if uniform() < 0.5 { -size } else { size }
            };
            let pairs: Vec<f64> = (0..12).map(pair).collect();
            let (low, high) = Estimate::of_pairs(&pairs, End::Planned).interval.unwrap();
            low <= truth.exp() && truth.exp() <= high
        });
        let share = covered.count() as f64 / f64::from(trials);
        assert!((0.945..0.97).contains(&share), "{share}");
    }

    #[test]
    fn the_smallest_probabilities_are_significant_by_holm() {
        assert_eq!(are_significant(&[0.01, 0.04, 0.03, 0.005]), [true, false, false, true]);
        assert_eq!(are_significant(&[0.04]), [true]);
        assert_eq!(are_significant(&[0.04, 0.5]), [false, false]);
        assert_eq!(are_significant(&[]), [] as [bool; 0]);
    }
}
