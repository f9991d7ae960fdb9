//! Models that predict the time of a function from its counts.

use crate::predict::function::Function;

/// A way to predict a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Model {
    Instructions,
    /// One cycle for a hit of the first level, 5 for one of the last level, 35 for an access to memory.
    EstimatedCycles,
    /// A weight for each event, fitted to the times of other crates.
    Fitted,
}

impl Model {
    pub(crate) const ALL: [Self; 3] = [Self::Instructions, Self::EstimatedCycles, Self::Fitted];

    /// Returns the name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::EstimatedCycles => "estimated cycles, 1/5/35",
            Self::Fitted => "fitted weights",
        }
    }

    fn counts(self, function: &Function) -> Vec<f64> {
        match self {
            Self::Instructions => vec![function.events[0]],
            Self::EstimatedCycles => vec![function.estimated_cycles],
            Self::Fitted => function.events.to_vec(),
        }
    }

    /// Fits the weights to functions, in nanoseconds for each count.
    pub(crate) fn fit(self, functions: &[&Function]) -> Weights {
        // Relative errors count, so each function is divided by its time
        let rows: Vec<Vec<f64>> = functions
            .iter()
            .map(|function| {
                self.counts(function).iter().map(|count| count / function.time).collect()
            })
            .collect();
        let mut weights = Weights { model: self, weights: least_squares(&rows) };
        // The factor between cycles and nanoseconds: outliers move squares, and not the median
        let ratios = functions.iter().map(|function| weights.predict(function) / function.time);
        let scale = median(ratios.collect());
        weights.weights.iter_mut().for_each(|weight| *weight /= scale);
        weights
    }
}

/// The fitted weights of a model.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    model: Model,
    /// Nanoseconds for each count.
    pub(crate) weights: Vec<f64>,
}

impl Weights {
    /// Returns the predicted time in nanoseconds.
    pub(crate) fn predict(&self, function: &Function) -> f64 {
        let counts = self.model.counts(function);
        counts.iter().zip(&self.weights).map(|(count, weight)| count * weight).sum()
    }
}

/// Returns the weights, none of them negative, with the least sum of squares of `row * weights - 1`.
///
/// One weight after the other is set to its best value, which ends at the only minimum, because the sum is convex.
fn least_squares(rows: &[Vec<f64>]) -> Vec<f64> {
    /// The largest change of a weight, as a part of it, at which it is fitted.
    const SMALL: f64 = 1e-9;
    const SWEEPS: usize = 20_000;

    let len = rows.first().map_or(0, Vec::len);
    let mut weights = vec![0.0; len];
    let mut rest = vec![1.0; rows.len()];
    for _ in 0..SWEEPS {
        let mut largest_change = 0.0_f64;
        for (column, weight) in weights.iter_mut().enumerate() {
            let squares: f64 = rows.iter().map(|row| row[column] * row[column]).sum();
            if squares == 0.0 {
                continue;
            }
            let gradient: f64 = rows.iter().zip(&rest).map(|(row, rest)| row[column] * rest).sum();
            let better = (*weight + gradient / squares).max(0.0);
            let change = better - *weight;
            rows.iter().zip(&mut rest).for_each(|(row, rest)| *rest -= row[column] * change);
            largest_change = largest_change.max(change.abs() / better.max(f64::MIN_POSITIVE));
            *weight = better;
        }
        if largest_change < SMALL {
            break;
        }
    }
    weights
}

/// Returns the value in the middle.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    percentile(values, 50)
}

/// Returns the value that this many percent of the others are not above.
pub(crate) fn percentile(mut values: Vec<f64>, percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = values.len().saturating_sub(1) * percent / 100;
    values.get(at).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_found_and_are_not_negative() {
        let weights = [0.25, 2.0, 7.0];
        let counts = [[4.0, 1.0, 0.0], [1.0, 1.0, 1.0], [3.0, 0.0, 2.0], [9.0, 2.0, 0.5]];
        let time =
            |row: &[f64; 3]| row.iter().zip(weights).map(|(count, weight)| count * weight).sum();
        let row = |row: &[f64; 3]| {
            let time: f64 = time(row);
            row.iter().map(|count| count / time).collect()
        };
        let rows: Vec<Vec<f64>> = counts.iter().map(row).collect();
        for (found, weight) in least_squares(&rows).iter().zip(weights) {
            assert!((found - weight).abs() < 1e-5, "{found} {weight}");
        }
        // Without the bound, the second weight would be -1
        let rows = [vec![1.0, 0.0], vec![2.0, 1.0]];
        let found = least_squares(&rows);
        assert!((found[0] - 0.6).abs() < 1e-6 && found[1].abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn percentiles_are_values() {
        let values = [4.0, 0.0, 2.0, 3.0, 1.0];
        for (percent, value) in [(0, 0.0), (50, 2.0), (90, 3.0), (100, 4.0)] {
            assert!((percentile(values.into(), percent) - value).abs() < 1e-9, "{percent}");
        }
        assert!(median(Vec::new()).is_nan());
    }
}
