//! Steps: sizes above which the cost is higher at once, or grows with another slope.

use iai_callgrind_plan::Complexity;

use crate::candidate::Candidate;
use crate::points::Points;
use crate::term::{Class, Term};

/// Largest number of steps in a formula.
const MOST_STEPS: usize = 6;

/// Points between two steps, before the first and after the last one.
const LEAST_POINTS: usize = 2;

/// Part of the cost that a step is at least.
const LEAST_STEP: f64 = 0.01;

/// Factor on the F test of a further term: a step can be at many sizes.
const STRICTNESS: f64 = 4.0;

/// Adds steps to the formulas of those classes for which they reduce the residuals by more than an accident.
pub(crate) fn with_steps(points: &Points, plain: &[Candidate]) -> Vec<Candidate> {
    plain
        .iter()
        .filter_map(|candidate| Search::new(points, candidate.formula.class)?.run())
        .collect()
}

/// Search for the steps of a class.
struct Search<'a> {
    points: &'a Points,
    /// Term of the class, and a constant.
    base: Vec<Term>,
    /// Steps can change the slope: without a term that grows as fast as the size, that would be another class.
    has_slopes: bool,
    steps: Vec<Term>,
    /// Formula with these steps.
    found: Candidate,
}

impl<'a> Search<'a> {
    fn new(points: &'a Points, class: Class) -> Option<Self> {
        let Class::Named(named) = class else { return None };
        let mut base = vec![Term::named(named)];
        if named != Complexity::Constant {
            base.push(Term::CONSTANT);
        }
        let found = Candidate::with_terms(points, &base)?;
        let has_slopes = named >= Complexity::N;
        Some(Self { points, base, has_slopes, steps: Vec::new(), found })
    }

    /// Adds steps one after the other, because some are only seen together with others, and returns the formula with the
    /// fewest that is not worse than the best one. `None` if the steps could be an accident.
    fn run(mut self) -> Option<Candidate> {
        let plain = self.found.residuals;
        let mut found: Vec<Candidate> = Vec::new();
        let positions: Vec<_> = (0..self.points.len()).collect();
        while self.steps.len() < MOST_STEPS && self.improve(self.steps.len(), &positions) {
            self.move_steps();
            found.push(self.found.clone());
        }
        let best = found.last()?.residuals;
        let fewest = found.into_iter().find(|found| !found.residuals.is_worse_than(best))?;
        let steps = fewest.terms.iter().filter(|term| term.after().is_some());
        let is_visible = |step: &Term| is_visible(self.points, &fewest, *step);
        let strictness = STRICTNESS * steps.clone().count() as f64;
        let is_seen = fewest.residuals.justify_a_factor(plain, strictness);
        (is_seen && steps.clone().all(is_visible)).then_some(fewest)
    }

    /// Moves each step to a size next to it, or changes its kind, until that does not improve the formula.
    fn move_steps(&mut self) {
        let mut is_improved = true;
        while is_improved {
            is_improved = false;
            for index in 0..self.steps.len() {
                let position = |step: &Term| {
                    let after = step.after().unwrap_or_default();
                    self.points.sizes.iter().position(|size| *size == after).unwrap_or(0)
                };
                let here = position(&self.steps[index]);
                is_improved |= self.improve(index, &[here.saturating_sub(1), here, here + 1]);
            }
        }
    }

    /// Puts the best step after one of these points in the place of a step, or adds it. Returns `false` if it would not
    /// improve the formula.
    fn improve(&mut self, index: usize, positions: &[usize]) -> bool {
        let before = self.found.residuals.variance();
        for position in positions {
            let others = self.steps.iter().enumerate().filter(|(other, _)| *other != index);
            let others: Vec<_> = others.map(|(_, step)| *step).collect();
            if !self.is_possible(*position, &others) {
                continue;
            }
            let after = self.points.sizes[*position];
            let kinds = [Term::Jump { after }, Term::Slope { after }];
            for step in &kinds[..=usize::from(self.has_slopes)] {
                let terms = self.base.iter().chain(&others).chain([step]).copied();
                let terms: Vec<_> = terms.collect();
                let better = Candidate::with_terms(self.points, &terms).filter(|candidate| {
                    candidate.residuals.variance() < self.found.residuals.variance() * (1.0 - 1e-9)
                });
                if let Some(better) = better {
                    self.found = better;
                    match self.steps.get_mut(index) {
                        Some(place) => *place = *step,
                        None => self.steps.push(*step),
                    }
                }
            }
        }
        self.found.residuals.variance() < before
    }

    /// Returns `true` if a step after a point has enough points on both sides.
    fn is_possible(&self, position: usize, others: &[Term]) -> bool {
        let sizes = &self.points.sizes;
        let last = self.points.len() - LEAST_POINTS;
        let is_inside = (LEAST_POINTS - 1..last).contains(&position);
        is_inside
            && others.iter().filter_map(|step| step.after()).all(|after| {
                let (low, high) = (after.min(sizes[position]), after.max(sizes[position]));
                let between = sizes.iter().filter(|size| **size > low && **size <= high);
                between.count() >= LEAST_POINTS
            })
    }
}

/// Returns `true` if a step is a part of the cost that can be seen.
fn is_visible(points: &Points, candidate: &Candidate, step: Term) -> bool {
    let Some(after) = step.after() else { return false };
    let Some(first) = points.sizes.iter().find(|size| **size > after) else { return false };
    let factor = candidate.formula.steps.iter().find(|found| found.term == step);
    let height = factor.map_or(0.0, |found| found.value(*first).abs());
    height >= LEAST_STEP * candidate.formula.cost(*first).abs()
}
