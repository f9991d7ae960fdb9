//! Selects the class.

use crate::candidate::{Candidate, candidates};
use crate::error::NoFit;
use crate::fitted::{Fit, residuals};
use crate::points::{Point, Points};
use crate::steps::with_steps;
use crate::term::Class;

/// Relative residual per degree of freedom from which on steps are looked for.
const STEP_RESIDUAL: f64 = 0.001;

/// Relative residual that is normal for real code. A class whose own term adds a little to a lower class only excludes the
/// lower class if that has larger residuals.
const IRREGULARITY: f64 = 0.003;

/// Fits the costs to the sizes.
///
/// Each class has a formula with its own term, a constant, and lower terms that reduce the residuals by more than an
/// accident (F test, 1 %). Residuals are relative to the costs, so that small sizes count as much as large ones. The
/// result is the class with the lowest growth that meets three conditions: it describes the points (7.5 % per degree of
/// freedom), the best class is not better by more than an accident (F test on the residuals per degree of freedom, 1 %), and
/// its own term is at least 2 % of the cost at the largest size. If residuals of more than 0.1 % remain, steps that reduce
/// them by more than an accident become a part of the formula.
///
/// # Errors
///
/// Returns the reason if the points cannot be fitted, or if no formula describes them.
pub fn fit(points: &[Point]) -> Result<Fit, NoFit> {
    let points = &Points::new(points)?;
    let plain = candidates(points);
    let possible = possible(points, &plain);
    let simplest = simplest(points, &possible);
    if let Some(found) = simplest.filter(|found| found.deviation() <= STEP_RESIDUAL) {
        return Ok(fitted(points, found, &possible));
    }
    let stepped = with_steps(points, &plain);
    let stepped = self::possible(points, &stepped);
    let with_steps = self::simplest(points, &stepped).filter(|stepped| {
        simplest.is_none_or(|plain| plain.residuals.is_worse_than(stepped.residuals))
    });
    match (with_steps, simplest) {
        (Some(found), _) => Ok(fitted(points, found, &stepped)),
        (None, Some(found)) => Ok(fitted(points, found, &possible)),
        (None, None) => Err(no_class(points, best(plain.iter()))),
    }
}

/// Returns the fit of a candidate. Its alternatives are the other possible classes with a name, unless their own term adds a
/// little to a lower class.
fn fitted(points: &Points, found: &Candidate, possible: &[&Candidate]) -> Fit {
    let serious = possible.iter().filter(|candidate| candidate.is_dominant(points));
    let classes = serious.map(|candidate| candidate.formula.class);
    let others = classes.filter(|class| {
        matches!(class, Class::Named(_)) && class.compare(found.formula.class).is_ne()
    });
    Fit::new(points, found.formula.clone(), others.collect())
}

/// Returns the candidate with the least residuals.
fn best<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Option<&'a Candidate> {
    candidates
        .min_by(|left, right| left.residuals.variance().total_cmp(&right.residuals.variance()))
}

/// Returns the candidates that describe the points and are not worse than the best one.
fn possible<'a>(points: &Points, candidates: &'a [Candidate]) -> Vec<&'a Candidate> {
    let describing = || candidates.iter().filter(|candidate| candidate.describes());
    let Some(best) = best(describing()) else { return Vec::new() };
    let residuals = if best.is_dominant(points) {
        best.residuals
    } else {
        best.residuals.at_least(IRREGULARITY)
    };
    describing().filter(|candidate| !candidate.residuals.is_worse_than(residuals)).collect()
}

/// Returns the first candidate. Formulas with a large negative constant are behind the others, and so are free powers.
fn simplest<'a>(points: &Points, possible: &[&'a Candidate]) -> Option<&'a Candidate> {
    possible.iter().copied().min_by_key(|candidate| {
        (
            !matches!(candidate.formula.class, Class::Named(_)),
            !candidate.has_plausible_constant(points),
        )
    })
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
