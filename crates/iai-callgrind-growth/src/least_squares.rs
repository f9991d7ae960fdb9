//! Least squares on relative residuals, by rmpfit.

use rmpfit::{MPConfig, MPError, MPFitter, MPPar, MPResult, MPSide};

use crate::points::Points;
use crate::term::{Class, Term};

/// Factors of terms, and the residuals that remain.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// Terms, with the exponent or the base that was found for the first one.
    pub(crate) terms: Vec<Term>,
    /// Factor of each term.
    pub(crate) factors: Vec<f64>,
    /// Sum of the squares of the relative residuals.
    pub(crate) squares: f64,
}

/// Finds the factors of these terms with the least relative residuals. The exponent of a power and the base of an
/// exponential are found too, starting from the given ones. `None` if there is no solution in finite numbers.
pub(crate) fn solve(points: &Points, terms: &[Term]) -> Option<Solution> {
    let mut problem = Problem::new(points, terms)?;
    let mut parameters = problem.start();
    problem.mpfit(&mut parameters).ok()?;
    problem.solution(&parameters)
}

/// Shape of the first term that is found together with the factors.
#[derive(Clone, Copy)]
enum Shape {
    /// Exponent of the size.
    Power(f64),
    /// Logarithm of the base.
    Exponential(f64),
}

/// Cost divided by itself is 1: a sum of columns that are terms divided by the costs.
struct Problem<'a> {
    points: &'a Points,
    terms: &'a [Term],
    shape: Option<Shape>,
    /// A column per term, the largest value of each is 1.
    columns: Vec<Vec<f64>>,
    /// Factor that makes the largest value of a column 1.
    scales: Vec<f64>,
    /// Weighted costs.
    targets: Vec<f64>,
    settings: Vec<MPPar>,
}

const CONFIG: MPConfig = MPConfig { max_iter: 60, ..MPConfig::new() };

impl<'a> Problem<'a> {
    fn new(points: &'a Points, terms: &'a [Term]) -> Option<Self> {
        let shape = match terms.first() {
            Some(Term::Growth(Class::Power(exponent))) => Some(Shape::Power(*exponent)),
            Some(Term::Growth(Class::Exponential(base))) => Some(Shape::Exponential(base.ln())),
            _ => None,
        };
        let mut columns = Vec::with_capacity(terms.len());
        let mut scales = Vec::with_capacity(terms.len());
        for (index, term) in terms.iter().enumerate() {
            let shape = shape.filter(|_| index == 0);
            let value = |size: f64| match shape {
                Some(shape) => shape.value(size, points.largest()),
                None => term.value(size),
            };
            let mut column: Vec<_> = weighted(points, value).collect();
            let largest = column.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            if largest <= 0.0 || !largest.is_finite() {
                return None;
            }
            // The column of a shape changes with the shape
            let scale = if shape.is_some() { 1.0 } else { 1.0 / largest };
            for value in &mut column {
                *value *= scale;
            }
            columns.push(column);
            scales.push(scale);
        }
        let number = terms.len() + usize::from(shape.is_some());
        let setting = || MPPar { side: MPSide::User, ..MPPar::new() };
        let targets = points.costs.iter().zip(&points.weights).map(|(cost, weight)| cost * weight);
        Some(Self {
            points,
            terms,
            shape,
            columns,
            scales,
            targets: targets.collect(),
            settings: (0..number).map(|_| setting()).collect(),
        })
    }

    /// Returns the initial factors: all zero, except for a shape's.
    fn start(&self) -> Vec<f64> {
        let mut parameters = vec![0.0; self.terms.len()];
        if let Some(shape) = self.shape {
            parameters[0] = self.points.costs[self.points.len() - 1];
            parameters.push(shape.parameter());
        }
        parameters
    }

    /// Returns the shape with the parameter that was found for it.
    fn shape(&self, parameters: &[f64]) -> Option<Shape> {
        let parameter = *parameters.last()?;
        self.shape.map(|shape| match shape {
            Shape::Power(_) => Shape::Power(parameter),
            Shape::Exponential(_) => Shape::Exponential(parameter),
        })
    }

    fn residuals(&self, parameters: &[f64], residuals: &mut [f64]) {
        residuals.copy_from_slice(&self.targets);
        let shape = self.shape(parameters);
        for (index, (column, factor)) in self.columns.iter().zip(parameters).enumerate() {
            match shape.filter(|_| index == 0) {
                None => subtract(residuals, *factor, column.iter().copied()),
                Some(shape) => {
                    let largest = self.points.largest();
                    let value = |size| shape.value(size, largest);
                    subtract(residuals, *factor, weighted(self.points, value));
                }
            }
        }
    }

    fn solution(&self, parameters: &[f64]) -> Option<Solution> {
        let mut residuals = vec![0.0; self.points.len()];
        self.residuals(parameters, &mut residuals);
        let mut terms = self.terms.to_vec();
        let mut factors: Vec<_> =
            parameters.iter().zip(&self.scales).map(|(factor, scale)| factor * scale).collect();
        if let Some(shape) = self.shape(parameters) {
            terms[0] = Term::Growth(shape.class());
            factors[0] /= terms[0].value(self.points.largest());
        }
        let squares = residuals.iter().map(|residual| residual * residual).sum::<f64>();
        let is_finite = squares.is_finite() && factors.iter().all(|factor| factor.is_finite());
        is_finite.then_some(Solution { terms, factors, squares })
    }
}

impl Shape {
    fn parameter(self) -> f64 {
        match self {
            Self::Power(parameter) | Self::Exponential(parameter) => parameter,
        }
    }

    /// Returns the value at a size, relative to that at the largest size.
    fn value(self, size: f64, largest: f64) -> f64 {
        match self {
            Self::Power(exponent) => (size / largest).powf(exponent),
            Self::Exponential(logarithm) => (logarithm * (size - largest)).exp(),
        }
    }

    /// Returns the derivative of the value by the parameter.
    fn derivative(self, size: f64, largest: f64) -> f64 {
        let by_parameter = match self {
            Self::Power(_) => (size / largest).ln(),
            Self::Exponential(_) => size - largest,
        };
        self.value(size, largest) * by_parameter
    }

    fn class(self) -> Class {
        match self {
            Self::Power(exponent) => Class::Power(exponent),
            Self::Exponential(logarithm) => Class::Exponential(logarithm.exp()),
        }
    }
}

impl MPFitter for Problem<'_> {
    fn eval(&mut self, parameters: &[f64], residuals: &mut [f64]) -> MPResult<()> {
        self.residuals(parameters, residuals);
        Ok(())
    }

    fn number_of_points(&self) -> usize {
        self.points.len()
    }

    fn config(&self) -> &MPConfig {
        &CONFIG
    }

    fn parameters(&self) -> &[MPPar] {
        &self.settings
    }

    fn jacobian(
        &mut self,
        parameters: &[f64],
        residuals: &mut [f64],
        derivatives: &mut [Option<Vec<f64>>],
    ) -> MPResult<()> {
        self.residuals(parameters, residuals);
        let shape = self.shape(parameters);
        let largest = self.points.largest();
        for (index, derivative) in derivatives.iter_mut().enumerate() {
            let Some(derivative) = derivative else { continue };
            let negative = |value: f64| -value;
            match (shape, self.columns.get(index)) {
                (Some(shape), Some(_)) if index == 0 => {
                    let value = |size| shape.value(size, largest);
                    fill(derivative, weighted(self.points, value).map(negative));
                }
                (_, Some(column)) => fill(derivative, column.iter().copied().map(negative)),
                (Some(shape), None) => {
                    let factor = -parameters[0];
                    let value = |size| factor * shape.derivative(size, largest);
                    fill(derivative, weighted(self.points, value));
                }
                (None, None) => return Err(MPError::Input),
            }
        }
        Ok(())
    }
}

/// Returns the values of a function of the size, divided by the costs.
fn weighted(points: &Points, value: impl Fn(f64) -> f64) -> impl Iterator<Item = f64> {
    points.sizes.iter().zip(&points.weights).map(move |(size, weight)| value(*size) * weight)
}

fn subtract(residuals: &mut [f64], factor: f64, column: impl Iterator<Item = f64>) {
    for (residual, value) in residuals.iter_mut().zip(column) {
        *residual -= factor * value;
    }
}

fn fill(target: &mut [f64], values: impl Iterator<Item = f64>) {
    for (target, value) in target.iter_mut().zip(values) {
        *target = value;
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::Complexity;

    use super::*;
    use crate::points::Point;

    type Cost = fn(f64) -> f64;

    fn points(cost: impl Fn(f64) -> f64) -> Points {
        let point = |size: i64| Point::new(size, cost(size as f64));
        Points::new(&[4, 8, 16, 32, 64, 128].map(point)).unwrap()
    }

    fn is_near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-7 * right.abs()
    }

    #[test]
    fn exact_factors_of_polynomials() {
        let points = points(|n| 5.0 * n * n * n - 3.0 * n * n + 17.0 * n + 1000.0);
        let terms = [Complexity::NCubed, Complexity::NSquared, Complexity::N, Complexity::Constant];
        let solution = solve(&points, &terms.map(Term::named)).unwrap();
        for (factor, expected) in solution.factors.iter().zip([5.0, -3.0, 17.0, 1000.0]) {
            assert!(is_near(*factor, expected), "{:?}", solution.factors);
        }
        assert!(solution.squares < 1e-18, "{}", solution.squares);
    }

    #[test]
    fn exponents_and_bases_are_found() {
        let cases: [(f64, Cost); 3] = [
            (1.585, |n| 7.0 * n.powf(1.585) + 90.0),
            (0.3, |n| 7.0 * n.powf(0.3) + 9.0),
            (2.6, |n| 0.5 * n.powf(2.6) + 4000.0),
        ];
        for (exponent, cost) in cases {
            for start in [1.0, 2.0] {
                let terms = [Term::Growth(Class::Power(start)), Term::CONSTANT];
                let solution = solve(&points(cost), &terms).unwrap();
                let Term::Growth(Class::Power(found)) = solution.terms[0] else { panic!() };
                assert!((found - exponent).abs() < 1e-6, "{found} instead of {exponent}");
            }
        }
        let points = points(|n| 3.0 * 1.1_f64.powf(n) + 70.0);
        let terms = [Term::Growth(Class::Exponential(1.05)), Term::CONSTANT];
        let solution = solve(&points, &terms).unwrap();
        let Term::Growth(Class::Exponential(base)) = solution.terms[0] else { panic!() };
        assert!(is_near(base, 1.1) && is_near(solution.factors[0], 3.0), "{base}");
        assert!(is_near(solution.factors[1], 70.0));
    }

    #[test]
    fn residuals_are_relative() {
        // 10 % too much at each second size: an absolute fit would only see the largest one
        let points = points(|n| if n.log2() % 2.0 == 0.0 { 1.1 * n } else { n });
        let solution = solve(&points, &[Term::named(Complexity::N)]).unwrap();
        assert!(
            is_near(solution.squares, 6.0 * 0.05_f64.powi(2) / 1.0_f64) || solution.squares < 0.015
        );
        assert!(solution.factors[0] > 1.04 && solution.factors[0] < 1.06);
    }
}
