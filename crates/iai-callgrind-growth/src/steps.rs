//! Steps: sizes above which the cost jumps, or grows with another slope.

use iai_callgrind_plan::Complexity;

use crate::candidate::Candidate;
use crate::points::Points;
use crate::term::{Class, Term};

/// Number of points for each step.
const POINTS_PER_STEP: usize = 4;

/// Parts of the cost that a step is at least. The smallest ones can only be seen where nothing else is irregular.
const LEAST_STEPS: [f64; 3] = [0.005, 0.02, 0.08];

/// Factor on the F test of a further term: a step can be at many sizes.
const STRICTNESS: f64 = 4.0;

/// Returns formulas with steps, for classes in which steps reduce the residuals significantly.
pub(crate) fn with_steps(points: &Points, plain: &[Candidate]) -> Vec<Candidate> {
    let of_class = |candidate: &Candidate| {
        let Class::Named(class) = candidate.formula.class else { return None };
        best_steps(points, class)
    };
    plain.iter().filter_map(of_class).collect()
}

/// Returns the best formula with steps for a class.
fn best_steps(points: &Points, class: Complexity) -> Option<Candidate> {
    let mut base = vec![Term::named(class)];
    if class != Complexity::Constant {
        base.push(Term::CONSTANT);
    }
    let plain = Candidate::with_terms(points, &base)?;
    let mut possible: Vec<_> =
        LEAST_STEPS.iter().filter_map(|least| jumps(points, class, *least)).collect();
    // Without a term that grows as fast as the size, another slope would be another class
    if class >= Complexity::N {
        possible.extend(slopes(points));
    }
    let fitted = possible.into_iter().filter_map(|steps| {
        let terms: Vec<_> = base.iter().chain(&steps).copied().collect();
        let found = Candidate::with_terms(points, &terms)?;
        let strictness = STRICTNESS * steps.len() as f64;
        let is_seen = found.residuals.justify_a_factor(plain.residuals, strictness);
        (is_seen && are_visible(points, &found)).then_some(found)
    });
    fitted.min_by(|left, right| left.residuals.variance().total_cmp(&right.residuals.variance()))
}

/// Returns the jumps of a class: where the cost grows by at least this part more than the median factor of the class
/// explains. `None` if there are none, or too many for the number of points.
fn jumps(points: &Points, class: Complexity, least: f64) -> Option<Vec<Term>> {
    let term = Term::named(class);
    let growth = |index: usize| {
        let (low, high) = (points.sizes[index], points.sizes[index + 1]);
        (term.value(high) - term.value(low), points.costs[index + 1] - points.costs[index])
    };
    // The last regime has at least two points
    let gaps = points.len() - 2;
    let mut factors: Vec<_> = (0..gaps)
        .map(growth)
        .filter(|(expected, _)| *expected > 0.0)
        .map(|(expected, measured)| measured / expected)
        .collect();
    factors.sort_by(f64::total_cmp);
    let median = factors.get(factors.len() / 2).copied().unwrap_or(0.0);
    let excess = |index: &usize| {
        let (expected, measured) = growth(*index);
        ((measured - median * expected) * points.weights[index + 1]).abs()
    };
    let found: Vec<_> = (0..gaps).filter(|index| excess(index) >= least).collect();
    let after = |index: usize| Term::Jump { after: points.sizes[index] };
    let is_possible = !found.is_empty() && found.len() <= points.len() / POINTS_PER_STEP;
    is_possible.then(|| found.into_iter().map(after).collect())
}

/// Returns the changes of the slope, each alone and with a jump at the same size.
fn slopes(points: &Points) -> impl Iterator<Item = Vec<Term>> + '_ {
    let inside = points.sizes.iter().skip(1).take(points.len().saturating_sub(3));
    inside.flat_map(|&after| {
        let (slope, jump) = (Term::Slope { after }, Term::Jump { after });
        [vec![slope], vec![slope, jump]]
    })
}

/// Returns `true` if each step is a part of the cost that can be seen.
fn are_visible(points: &Points, candidate: &Candidate) -> bool {
    candidate.formula.steps.iter().all(|step| {
        let after = step.term.after().unwrap_or_default();
        let first = points.sizes.iter().find(|size| **size > after).copied().unwrap_or(after);
        step.value(first).abs() >= LEAST_STEPS[0] * candidate.formula.cost(first).abs()
    })
}
