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
        let order = |weighted: &WeightedTerm| match weighted.term {
            Term::Growth(class) => class,
            Term::Jump { .. } | Term::Slope { .. } => Class::Named(Complexity::Constant),
        };
        terms.sort_by(|left, right| order(right).compare(order(left)));
        let after = |step: &WeightedTerm| step.term.after().unwrap_or_default();
        steps.sort_by(|left, right| after(left).total_cmp(&after(right)));
        Some(Self { class, terms, steps })
    }

    /// Returns the cost of an input with this size.
    #[must_use]
    pub fn cost(&self, n: f64) -> f64 {
        self.terms.iter().chain(&self.steps).map(|weighted| weighted.value(n)).sum()
    }

    /// Returns the factor of the term with the strongest growth; that of a constant cost is the cost.
    #[must_use]
    pub fn leading(&self) -> f64 {
        self.terms.first().map_or(0.0, |weighted| weighted.factor)
    }
}

/// Writes `12.02 n + 340`, and the steps after it: `+ 96 above 64`.
impl fmt::Display for Formula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for WeightedTerm { term, factor } in self.terms.iter().chain(&self.steps) {
            let digits = factor_text(factor.abs());
            let sign = match (is_first, *factor < 0.0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let text = TermText(*term);
            match term {
                Term::Growth(Class::Named(Complexity::Constant)) => {
                    write!(formatter, "{sign}{digits}")?;
                }
                Term::Growth(_) if digits == "1" => write!(formatter, "{sign}{text}")?,
                _ => write!(formatter, "{sign}{digits}{}{text}", text.separator())?,
            }
            is_first = false;
        }
        Ok(())
    }
}

/// Text of a term after its factor.
struct TermText(Term);

impl TermText {
    /// Returns the text between the factor and the function.
    fn separator(&self) -> &'static str {
        match self.0 {
            Term::Growth(Class::Exponential(_)) => " · ",
            _ => " ",
        }
    }
}

impl fmt::Display for TermText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Term::Growth(class) => class.fmt(formatter),
            Term::Jump { after } => write!(formatter, "above {after}"),
            Term::Slope { after } => write!(formatter, "n above {after}"),
        }
    }
}
