//! The best formula of each class.

use iai_callgrind_plan::Complexity;

use crate::formula::Formula;
use crate::least_squares::{Solution, solve};
use crate::points::Points;
use crate::significance::Residuals;
use crate::term::{Class, Term};

/// Number of points more than factors that a formula needs.
const LEAST_FREEDOM: usize = 2;

/// The same for a formula with three terms, which must reduce the residuals to nearly nothing then.
const LEAST_FREEDOM_OF_THREE: usize = 1;

/// The same for a formula with more terms or with steps, which fits a few points too easily.
const LEAST_FREEDOM_OF_MANY: usize = 3;

/// Relative residual per degree of freedom up to which a formula describes the points.
const LARGEST_RESIDUAL: f64 = 0.075;

/// Part of the cost at the largest size that the class must account for. A smaller one can be an accident.
const LEAST_PART: f64 = 0.02;

/// The same for a formula with nearly as many factors as points.
const LEAST_PART_OF_FEW: f64 = 0.1;

/// Part of the cost at the smallest size that a negative constant is at most, if it is plausible.
const LARGEST_NEGATIVE: f64 = 0.2;

/// Formula of a class.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) formula: Formula,
    /// Terms in the order of their addition, the class first.
    pub(crate) terms: Vec<Term>,
    pub(crate) residuals: Residuals,
}

impl Candidate {
    /// Fits a formula with these terms, the first of which is the class. `None` if there are too few points, or if the
    /// class is not what the cost grows with.
    pub(crate) fn with_terms(points: &Points, terms: &[Term]) -> Option<Self> {
        let shape =
            matches!(terms.first(), Some(Term::Growth(Class::Power(_) | Class::Exponential(_))));
        let factors = terms.len() + usize::from(shape);
        let has_steps = terms.iter().any(|term| term.after().is_some());
        let freedom = match terms.len() {
            0..=2 => LEAST_FREEDOM,
            3 if !has_steps => LEAST_FREEDOM_OF_THREE,
            _ => LEAST_FREEDOM_OF_MANY,
        };
        if factors + freedom > points.len() {
            return None;
        }
        let Solution { terms, factors: values, squares } = solve(points, terms)?;
        let residuals = Residuals::new(squares, points.len(), factors);
        let formula = Formula::new(points, &terms, &values)?;
        let candidate = Self { formula, terms, residuals };
        candidate.grows(points, values[0]).then_some(candidate)
    }

    /// Returns the relative residual per degree of freedom.
    pub(crate) fn deviation(&self) -> f64 {
        self.residuals.variance().sqrt()
    }

    /// Returns `true` if the residuals are small enough.
    pub(crate) fn describes(&self) -> bool {
        self.deviation() <= LARGEST_RESIDUAL
    }

    /// Returns `true` unless the cost shrinks with a logarithm, which no algorithm does: with it, a line would look like
    /// `n log n`.
    fn has_plausible_logarithm(&self) -> bool {
        let is_logarithm = |term: Term| term == Term::named(Complexity::LogN);
        self.formula.terms.iter().all(|found| found.factor >= 0.0 || !is_logarithm(found.term))
    }

    /// Returns `true` unless a large part of the smallest cost is a negative constant.
    pub(crate) fn has_plausible_constant(&self, points: &Points) -> bool {
        let constant = self.formula.terms.iter().find(|found| found.term == Term::CONSTANT);
        constant.is_none_or(|found| found.factor >= -LARGEST_NEGATIVE * points.costs[0])
    }

    /// Returns `true` if most of the growth is that of the class's term.
    pub(crate) fn is_dominant(&self, points: &Points) -> bool {
        let growing = self.formula.terms.iter().filter(|found| found.term != Term::CONSTANT);
        let mut parts = growing.map(|found| found.value(points.largest()).abs());
        parts.next().is_none_or(|class| class >= parts.sum())
    }

    /// Returns `true` if the cost grows with the class's term.
    fn grows(&self, points: &Points, factor: f64) -> bool {
        let (Some(term), largest) = (self.terms.first(), points.largest()) else { return false };
        let part = factor * (term.value(largest) - term.value(points.sizes[0]));
        let is_constant = *term == Term::CONSTANT;
        let least =
            if self.residuals.freedom < LEAST_FREEDOM { LEAST_PART_OF_FEW } else { LEAST_PART };
        let cost = points.costs[points.len() - 1];
        if is_constant { factor > 0.0 } else { part >= least * cost && part > 0.0 }
    }
}

/// Returns the best formula of each class that has one, in the order of their growth; free powers and exponentials are
/// the last.
pub(crate) fn candidates(points: &Points) -> Vec<Candidate> {
    let classes = Complexity::ALL.into_iter().filter(|class| *class != Complexity::Exponential);
    let named = classes.filter_map(|class| of_class(points, class));
    let free = [exponential(points), power(points)];
    named.chain(free.into_iter().flatten()).collect()
}

/// Returns the best formula of a class with a name: its term, a constant or a lower term, and further lower terms that are
/// more than an accident.
fn of_class(points: &Points, class: Complexity) -> Option<Candidate> {
    let term = Term::named(class);
    if class == Complexity::Constant {
        return Candidate::with_terms(points, &[term]);
    }
    let others = || lower_terms(class).iter().map(|lower| Term::named(*lower));
    let with = |terms: &[Term]| {
        Candidate::with_terms(points, terms).filter(Candidate::has_plausible_logarithm)
    };
    let mut best = with(&[term, Term::CONSTANT]);
    for lower in others() {
        let found = with(&[term, lower]);
        let is_better = |found: &Candidate| {
            best.as_ref().is_none_or(|best| best.residuals.is_worse_than(found.residuals))
        };
        best = found.filter(is_better).or(best);
    }
    for more in std::iter::once(Term::CONSTANT).chain(others()) {
        let Some(known) = &best else { break };
        if known.terms.contains(&more) {
            continue;
        }
        let found = with(&[&*known.terms, &[more]].concat());
        let is_better = |found: &Candidate| {
            let helps =
                !known.describes() && found.describes() && found.has_plausible_constant(points);
            helps || found.residuals.justify_a_factor(known.residuals, 1.0)
        };
        best = found.filter(is_better).or(best);
    }
    best
}

/// Returns terms of lower classes that costs of a class often have.
fn lower_terms(class: Complexity) -> &'static [Complexity] {
    match class {
        Complexity::Constant | Complexity::LogN | Complexity::SqrtN | Complexity::Exponential => {
            &[]
        }
        Complexity::N => &[Complexity::LogN],
        Complexity::NLogN => &[Complexity::N, Complexity::LogN],
        Complexity::NSquared => &[Complexity::N, Complexity::NLogN],
        Complexity::NSquaredLogN | Complexity::NCubed => &[Complexity::NSquared, Complexity::N],
    }
}

fn power(points: &Points) -> Option<Candidate> {
    /// Exponents that are not a class of their own.
    const EXPONENTS: std::ops::RangeInclusive<f64> = 0.05..=8.0;
    let start = exponent(points).clamp(0.1, 6.0);
    let terms = [Term::Growth(Class::Power(start)), Term::CONSTANT];
    let found = Candidate::with_terms(points, &terms)?;
    let Class::Power(exponent) = found.formula.class else { return None };
    EXPONENTS.contains(&exponent).then_some(found)
}

/// Returns the slope between the last points with logarithms on both axes.
fn exponent(points: &Points) -> f64 {
    let (last, middle) = (points.len() - 1, points.len() / 2);
    let ratio = |values: &[f64]| (values[last] / values[middle].max(f64::MIN_POSITIVE)).ln();
    ratio(&points.costs) / ratio(&points.sizes)
}

fn exponential(points: &Points) -> Option<Candidate> {
    let (last, middle) = (points.len() - 1, points.len() / 2);
    let growth = (points.costs[last] / points.costs[middle].max(f64::MIN_POSITIVE)).ln();
    let logarithm = growth / (points.sizes[last] - points.sizes[middle]);
    let terms = [Term::Growth(Class::Exponential(logarithm.exp())), Term::CONSTANT];
    let found = Candidate::with_terms(points, &terms)?;
    let Class::Exponential(base) = found.formula.class else { return None };
    // With less growth than this, a power describes the same points
    (base.powf(points.largest() - points.sizes[0]) > 20.0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Point;

    const SIZES: [i64; 6] = [8, 64, 128, 256, 512, 1024];

    /// Returns true if these sizes are enough for a formula with these terms.
    fn has_formula(sizes: &[i64], terms: &[Term]) -> bool {
        let cost = |n: i64| (100 * n + 10 + if n > 64 { 5000 } else { 0 }) as f64;
        let points: Vec<_> = sizes.iter().map(|&size| Point::new(size, cost(size))).collect();
        Candidate::with_terms(&Points::new(&points).unwrap(), terms).is_some()
    }

    #[test]
    fn more_terms_need_more_sizes_and_steps_the_most() {
        let three = [Term::named(Complexity::N), Term::CONSTANT, Term::named(Complexity::LogN)];
        assert!(has_formula(&SIZES[..4], &three[..2]) && has_formula(&SIZES[..4], &three));
        let step = [three[0], three[1], Term::Jump { after: 64.0 }];
        assert_eq!([5, 6].map(|number| has_formula(&SIZES[..number], &step)), [false, true]);
    }
}
