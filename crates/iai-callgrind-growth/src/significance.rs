//! Decides if a difference of residuals can be an accident.

/// Relative residual that is taken for none: counts of real code have small irregularities, such as the rest of an
/// unrolled loop.
const NOISE: f64 = 1e-4;

/// 99 % quantiles of the F distribution with `d + 1` and `d` degrees of freedom, from `d` = 1 on.
const CLASSES: [f64; 20] = [
    4999.5, 99.2, 28.7, 15.5, 10.7, 8.26, 6.84, 5.91, 5.26, 4.77, 4.40, 4.10, 3.86, 3.66, 3.49,
    3.35, 3.22, 3.12, 3.03, 2.94,
];

/// 99 % quantiles of the F distribution with 1 and `d` degrees of freedom, from `d` = 1 on.
const TERMS: [f64; 20] = [
    4052.2, 98.5, 34.1, 21.2, 16.3, 13.7, 12.2, 11.3, 10.6, 10.0, 9.65, 9.33, 9.07, 8.86, 8.68,
    8.53, 8.40, 8.29, 8.18, 8.10,
];

/// Residuals of a formula.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Residuals {
    /// Sum of the squares of the relative residuals.
    squares: f64,
    /// Number of points, less the number of factors that were found.
    pub(crate) freedom: usize,
}

impl Residuals {
    /// Creates the residuals of a formula with this number of factors.
    pub(crate) fn new(squares: f64, points: usize, factors: usize) -> Self {
        let squares = squares + NOISE * NOISE * points as f64;
        Self { squares, freedom: points.saturating_sub(factors) }
    }

    /// Returns these residuals, with this relative one per degree of freedom at least.
    pub(crate) fn at_least(self, residual: f64) -> Self {
        Self { squares: self.squares.max(residual * residual * self.freedom as f64), ..self }
    }

    /// Returns the mean square per degree of freedom.
    pub(crate) fn variance(self) -> f64 {
        self.squares / self.freedom.max(1) as f64
    }

    /// Returns `true` if a formula with these residuals is worse than the best one by more than an accident.
    pub(crate) fn is_worse_than(self, best: Self) -> bool {
        self.variance() > best.variance() * quantile(&CLASSES, best.freedom)
    }

    /// Returns `true` if a further factor, with which these residuals remain, is more than an accident.
    pub(crate) fn justify_a_factor(self, without: Self, strictness: f64) -> bool {
        let gain = without.squares - self.squares;
        gain > self.variance() * quantile(&TERMS, self.freedom) * strictness
    }
}

fn quantile(table: &[f64], freedom: usize) -> f64 {
    let index = freedom.clamp(1, table.len()) - 1;
    table[index]
}
