//! Selects the class.

use crate::candidate::{Candidate, candidates};
use crate::error::NoFit;
use crate::fitted::{Fit, residuals};
use crate::points::{Point, Points};
use crate::steps::with_steps;

/// Relative residual per degree of freedom up to which a formula describes the points.
const LARGEST_RESIDUAL: f64 = 0.075;

/// Relative residual per degree of freedom from which on steps are looked for.
const STEP_RESIDUAL: f64 = 0.001;

/// Fits the costs to the sizes.
///
/// Each class has a formula with its own term, a constant, and lower terms that reduce the residuals by more than an
/// accident (F test, 1 %). Residuals are relative to the costs, so that small sizes count as much as large ones. The
/// class is the first one, in the order of their growth, whose residuals are not worse than those of the best class (F
/// test on the residuals per degree of freedom, 1 %), and whose own term is at least 2 % of the cost at the largest size.
/// If residuals of more than 0.5 % remain, steps that reduce them by more than an accident become a part of the formula.
///
/// # Errors
///
/// Returns the reason if the points cannot be fitted, or if the best formula has residuals of more than 7.5 %.
pub fn fit(points: &[Point]) -> Result<Fit, NoFit> {
    let points = &Points::new(points)?;
    let plain = candidates(points);
    let simplest = simplest(&plain);
    if let Some(found) = simplest.filter(|found| deviation(found) <= STEP_RESIDUAL) {
        return Ok(Fit::new(points, found.formula.clone()));
    }
    let stepped = with_steps(points, &plain);
    let stepped = self::simplest(&stepped).filter(|stepped| {
        let is_good = deviation(stepped) <= LARGEST_RESIDUAL;
        is_good && simplest.is_none_or(|plain| plain.residuals.is_worse_than(stepped.residuals))
    });
    let found = stepped.or(simplest);
    match found.filter(|found| deviation(found) <= LARGEST_RESIDUAL) {
        Some(found) => Ok(Fit::new(points, found.formula.clone())),
        None => Err(no_class(points, best(&plain))),
    }
}

/// Returns the relative residual per degree of freedom.
fn deviation(candidate: &Candidate) -> f64 {
    candidate.residuals.variance().sqrt()
}

fn best(candidates: &[Candidate]) -> Option<&Candidate> {
    candidates
        .iter()
        .min_by(|left, right| left.residuals.variance().total_cmp(&right.residuals.variance()))
}

/// Returns the first candidate that is not worse than the best one.
fn simplest(candidates: &[Candidate]) -> Option<&Candidate> {
    let best = best(candidates)?.residuals;
    candidates.iter().find(|candidate| !candidate.residuals.is_worse_than(best))
}

fn no_class(points: &Points, closest: Option<&Candidate>) -> NoFit {
    let residuals = match closest {
        Some(closest) => residuals(points, &closest.formula),
        None => Vec::new(),
    };
    #[expect(clippy::cast_possible_truncation, reason = "the sizes were whole numbers")]
    let sizes = points.sizes.iter().map(|size| *size as i64);
    NoFit::NoClass { residuals: sizes.zip(residuals.iter().map(|rest| rest * 100.0)).collect() }
}
