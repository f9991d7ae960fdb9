//! Formulas of costs.

use std::fmt;

use iai_callgrind_plan::Complexity;

use crate::number::factor_text;
use crate::points::Points;
use crate::term::{Class, Term};

/// Term with its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedTerm {
    /// The function of the size.
    pub term: Term,
    /// Factor in the unit of the costs. That of a constant is the constant.
    pub factor: f64,
}

/// Cost as a sum of terms.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// Class of the growth.
    pub class: Class,
    /// Terms that hold for all sizes, the one with the strongest growth first.
    pub terms: Vec<WeightedTerm>,
    /// Terms that hold above a size, in the order of these sizes.
    pub steps: Vec<WeightedTerm>,
}

impl WeightedTerm {
    /// Returns the part of the cost.
    #[must_use]
    pub fn value(self, n: f64) -> f64 {
        // A factor of zero times an infinite power
        if self.factor == 0.0 { 0.0 } else { self.factor * self.term.value(n) }
    }
}

/// Sorts terms by their growth, the strongest first.
fn sort(terms: &mut [WeightedTerm]) {
    let order = |weighted: &WeightedTerm| match weighted.term {
        Term::Growth(class) => class,
        Term::Jump { .. } | Term::Slope { .. } => Class::Named(Complexity::Constant),
    };
    terms.sort_by(|left, right| order(right).compare(order(left)));
}

impl Formula {
    /// Sorts terms with their factors. `terms` starts with the class. A term that is nothing but an error of the
    /// computation is left out.
    pub(crate) fn new(points: &Points, terms: &[Term], factors: &[f64]) -> Option<Self> {
        let Term::Growth(class) = *terms.first()? else { return None };
        let weighted = terms.iter().zip(factors);
        let weighted = weighted.map(|(&term, &factor)| WeightedTerm { term, factor });
        let weighted = weighted.filter(|weighted| {
            let parts = points.sizes.iter().zip(&points.weights);
            parts
                .map(|(size, weight)| (weighted.value(*size) * weight).abs())
                .any(|part| part > 1e-7)
        });
        let (mut terms, mut steps): (Vec<_>, Vec<_>) =
            weighted.partition(|weighted| weighted.term.after().is_none());
        sort(&mut terms);
        let after = |step: &WeightedTerm| step.term.after().unwrap_or_default();
        steps.sort_by(|left, right| after(left).total_cmp(&after(right)));
        Some(Self { class, terms, steps })
    }

    /// Returns the cost of an input with this size.
    #[must_use]
    pub fn cost(&self, n: f64) -> f64 {
        self.terms.iter().chain(&self.steps).map(|weighted| weighted.value(n)).sum()
    }

    /// Returns the factor of the term with the strongest growth, or a constant cost.
    #[must_use]
    pub fn leading(&self) -> f64 {
        self.terms.first().map_or(0.0, |weighted| weighted.factor)
    }

    /// Returns the parts of the formula between its steps, in the order of the sizes.
    #[must_use]
    pub fn pieces(&self) -> Vec<Piece> {
        let mut ends: Vec<_> = self.steps.iter().filter_map(|step| step.term.after()).collect();
        ends.dedup();
        let starts = std::iter::once(None).chain(ends.iter().copied().map(Some));
        let ends = ends.iter().copied().map(Some).chain([None]);
        starts.zip(ends).map(|(above, up_to)| self.piece(above, up_to)).collect()
    }

    fn piece(&self, above: Option<f64>, up_to: Option<f64>) -> Piece {
        let mut terms = self.terms.clone();
        let holds = |step: &&WeightedTerm| above.is_some() && step.term.after() <= above;
        for step in self.steps.iter().filter(holds) {
            let term = match step.term {
                Term::Slope { .. } => Term::named(Complexity::N),
                Term::Jump { .. } | Term::Growth(_) => Term::CONSTANT,
            };
            match terms.iter_mut().find(|known| known.term == term) {
                Some(known) => known.factor += step.factor,
                None => terms.push(WeightedTerm { term, factor: step.factor }),
            }
        }
        sort(&mut terms);
        Piece { terms, above, up_to }
    }
}

/// Part of a formula between two steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Terms, the one with the strongest growth first.
    terms: Vec<WeightedTerm>,
    /// Size above which the part holds; `None` for the first one.
    above: Option<f64>,
    /// Size up to which the part holds; `None` for the last one.
    up_to: Option<f64>,
}

/// Writes `12.02 n + 340`, and the sizes for which it holds: `12.02 n + 340 up to 64`.
impl fmt::Display for Piece {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, WeightedTerm { term, factor }) in self.terms.iter().enumerate() {
            let digits = factor_text(factor.abs());
            let sign = match (index, *factor < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            match term {
                Term::Growth(Class::Named(Complexity::Constant)) => {
                    write!(formatter, "{sign}{digits}")?;
                }
                Term::Growth(_) if digits == "1" => write!(formatter, "{sign}{term}")?,
                Term::Growth(Class::Exponential(_)) => {
                    write!(formatter, "{sign}{digits} · {term}")?;
                }
                _ => write!(formatter, "{sign}{digits} {term}")?,
            }
        }
        match (self.above, self.up_to) {
            (None, None) => Ok(()),
            (None, Some(end)) => write!(formatter, " up to {end}"),
            (Some(start), None) => write!(formatter, " above {start}"),
            (Some(start), Some(end)) => write!(formatter, " above {start} up to {end}"),
        }
    }
}

/// Writes the parts: `12.02 n + 340 up to 64, 12.02 n + 436 above 64`.
impl fmt::Display for Formula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, piece) in self.pieces().iter().enumerate() {
            write!(formatter, "{}{piece}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
