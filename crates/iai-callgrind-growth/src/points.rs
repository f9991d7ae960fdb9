//! The measured points of a curve.

use crate::error::{LEAST_FACTOR, LEAST_SIZES, NoFit};

/// Cost of an input with a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Size of the input. Only positive ones can be fitted.
    pub size: i64,
    /// Cost in any unit.
    pub cost: f64,
}

impl Point {
    /// Creates a point.
    #[must_use]
    pub fn new(size: i64, cost: f64) -> Self {
        Self { size, cost }
    }
}

/// Points that can be fitted, in the order of their sizes.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    /// Sizes, all of which are positive and different.
    pub(crate) sizes: Vec<f64>,
    /// Costs of these sizes.
    pub(crate) costs: Vec<f64>,
    /// Reciprocals of the costs, so that each residual is relative to its cost.
    pub(crate) weights: Vec<f64>,
}

impl Points {
    /// Sorts the points, and checks that they can be fitted.
    pub(crate) fn new(points: &[Point]) -> Result<Self, NoFit> {
        let mut points = points.to_vec();
        points.sort_by_key(|point| point.size);
        if let Some(point) = points.iter().find(|point| point.size <= 0) {
            return Err(NoFit::NotPositive { size: point.size });
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[0].size == pair[1].size) {
            return Err(NoFit::Repeated { size: pair[0].size });
        }
        if points.len() < LEAST_SIZES {
            return Err(NoFit::TooFew { sizes: points.len() });
        }
        let (smallest, largest) = (points[0].size, points[points.len() - 1].size);
        if smallest.unsigned_abs().saturating_mul(LEAST_FACTOR) > largest.unsigned_abs() {
            return Err(NoFit::TooClose { smallest, largest });
        }
        let greatest = points.iter().fold(0.0_f64, |most, point| most.max(point.cost));
        if greatest <= 0.0 {
            return Err(NoFit::AllZero);
        }
        // A count of zero is as far from 1 as 1 is from 2
        let weight = |point: &Point| 1.0 / point.cost.max(greatest.min(1.0));
        Ok(Self {
            sizes: points.iter().map(|point| point.size as f64).collect(),
            costs: points.iter().map(|point| point.cost).collect(),
            weights: points.iter().map(weight).collect(),
        })
    }

    /// Returns the number of points.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the largest size.
    pub(crate) fn largest(&self) -> f64 {
        self.sizes[self.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[(i64, f64)]) -> Result<Vec<f64>, NoFit> {
        let points: Vec<_> = points.iter().map(|(size, cost)| Point::new(*size, *cost)).collect();
        Points::new(&points).map(|points| points.sizes)
    }

    #[test]
    fn the_order_does_not_matter() {
        let sizes = check(&[(64, 1.0), (8, 1.0), (16, 1.0), (32, 1.0)]).unwrap();
        assert_eq!(sizes, [8.0, 16.0, 32.0, 64.0]);
    }

    #[test]
    fn sizes_that_no_fit_can_use() {
        let one = 1.0;
        assert_eq!(check(&[]), Err(NoFit::TooFew { sizes: 0 }));
        assert_eq!(check(&[(8, one), (16, one), (64, one)]), Err(NoFit::TooFew { sizes: 3 }));
        assert_eq!(
            check(&[(8, one), (16, one), (32, one), (63, one)]),
            Err(NoFit::TooClose { smallest: 8, largest: 63 })
        );
        assert_eq!(
            check(&[(8, one), (64, one), (32, one), (64, 2.0)]),
            Err(NoFit::Repeated { size: 64 })
        );
        for size in [0, -5] {
            let found = check(&[(1, one), (size, one), (32, one), (64, one)]);
            assert_eq!(found, Err(NoFit::NotPositive { size }));
        }
        assert_eq!(check(&[(1, 0.0), (2, 0.0), (32, 0.0), (64, 0.0)]), Err(NoFit::AllZero));
    }
}
