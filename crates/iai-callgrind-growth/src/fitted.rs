//! A formula with a measure of how well it describes the points.

use std::fmt;

use iai_callgrind_plan::Complexity;

use crate::formula::Formula;
use crate::number::{percent, significant};
use crate::points::Points;
use crate::term::Class;

/// Formula that describes all points.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Formula of the cost.
    pub formula: Formula,
    /// Other classes that describe the points nearly as well, in the order of their growth.
    pub alternatives: Vec<Class>,
    /// Coefficient of determination of the relative costs; `None` for a constant.
    pub r_squared: Option<f64>,
    /// Largest difference of a formula's cost from the measured one, in percent of the measured one.
    pub max_residual: f64,
}

impl Fit {
    pub(crate) fn new(points: &Points, formula: Formula, alternatives: Vec<Class>) -> Self {
        let residuals = residuals(points, &formula);
        let max_residual = residuals.iter().fold(0.0_f64, |most, next| most.max(next.abs()));
        let is_constant =
            formula.class == Class::Named(Complexity::Constant) && formula.steps.is_empty();
        let r_squared = if is_constant { None } else { r_squared(points, &residuals) };
        Self { formula, alternatives, r_squared, max_residual: max_residual * 100.0 }
    }
}

/// Returns the relative differences between the measured costs and the formula.
pub(crate) fn residuals(points: &Points, formula: &Formula) -> Vec<f64> {
    let costs = points.sizes.iter().zip(&points.costs).zip(&points.weights);
    costs.map(|((size, cost), weight)| (cost - formula.cost(*size)) * weight).collect()
}

/// Computes `1 - Σ w² (y - ŷ)² / Σ w² (y - ȳ)²` with the weights `w = 1 / y`, and `ȳ` as the mean with these weights
/// (<https://en.wikipedia.org/wiki/Coefficient_of_determination>, with weights).
fn r_squared(points: &Points, residuals: &[f64]) -> Option<f64> {
    let weights = || points.weights.iter().map(|weight| weight * weight);
    let weighted = points.costs.iter().zip(weights()).map(|(cost, weight)| cost * weight);
    let mean = weighted.sum::<f64>() / weights().sum::<f64>();
    let costs = points.costs.iter().zip(weights());
    let total: f64 = costs.map(|(cost, weight)| (cost - mean).powi(2) * weight).sum();
    let rest: f64 = residuals.iter().map(|residual| residual * residual).sum();
    (total > 0.0).then(|| 1.0 - rest / total)
}

/// Writes `12.02 n + 340   O(n)   R² 0.99999   max. residual 0.4 %`.
impl fmt::Display for Fit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}   {}", self.formula, self.quality())
    }
}

impl Fit {
    /// Returns `true` if each class that describes the points grows faster than a limit.
    #[must_use]
    pub fn exceeds(&self, limit: Complexity) -> bool {
        let others = self.alternatives.iter().copied();
        std::iter::once(self.formula.class).chain(others).all(|class| class.exceeds(limit))
    }

    /// Returns `true` if this is one of the other classes.
    pub(crate) fn allows(&self, class: Class) -> bool {
        self.alternatives.iter().any(|other| other.compare(class).is_eq())
    }

    /// Returns the class, the others that the points do not exclude, and how well the formula describes the points:
    /// `O(n) or O(n log n)   R² 1   max. residual 0 %`.
    #[must_use]
    pub fn quality(&self) -> String {
        /// Number of other classes that are listed.
        const MOST: usize = 3;
        let Self { formula, alternatives, r_squared, max_residual } = self;
        let listed = alternatives.iter().take(MOST).map(|class| format!("O({class})"));
        let mut others = listed.collect::<Vec<_>>().join(", ");
        if !others.is_empty() {
            others.insert_str(0, " or ");
        }
        let more = match alternatives.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let r_squared = r_squared.map_or_else(String::new, |r_squared| {
            // Rounded down: only a formula without residuals has 1
            let shown = if r_squared > 1.0 - 1e-9 { 1.0 } else { (r_squared * 1e5).floor() / 1e5 };
            format!("   R² {}", significant(shown, 6))
        });
        format!(
            "O({}){others}{more}{r_squared}   max. residual {}",
            formula.class,
            percent(*max_residual)
        )
    }
}
