//! The difference of two fits.

use std::fmt;
use std::iter::zip;

use iai_callgrind_plan::Complexity;

use crate::fitted::Fit;
use crate::formula::WeightedTerm;
use crate::number::{factor_text, percent};
use crate::term::{Class, Term};

/// Difference of a new fit from an old one.
#[derive(Debug, Clone, PartialEq)]
pub enum FitChange {
    /// The class is another one.
    Class {
        /// Old class.
        old: Class,
        /// New class.
        new: Class,
        /// Neither fit allows the other one's class.
        is_certain: bool,
    },
    /// The class is the same.
    Factors {
        /// Terms of both fits, the new one's first. A missing term has the factor 0.
        terms: Vec<TermChange>,
        /// The steps are at other sizes, or have other factors.
        has_other_steps: bool,
    },
}

/// Change of the factor of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermChange {
    /// Term of one or both of the fits.
    pub term: Term,
    /// Old factor.
    pub old: f64,
    /// New factor.
    pub new: f64,
}

impl FitChange {
    /// Compares two fits.
    #[must_use]
    pub fn between(new: &Fit, old: &Fit) -> Self {
        let is_certain = !new.allows(old.formula.class) && !old.allows(new.formula.class);
        let (new, old) = (&new.formula, &old.formula);
        if new.class.compare(old.class).is_ne() {
            return Self::Class { old: old.class, new: new.class, is_certain };
        }
        let added = new.terms.iter().map(|weighted| TermChange {
            term: weighted.term,
            old: factor(&old.terms, weighted.term).unwrap_or(0.0),
            new: weighted.factor,
        });
        let is_removed = |weighted: &&WeightedTerm| factor(&new.terms, weighted.term).is_none();
        let removed = old.terms.iter().filter(is_removed).map(|weighted| TermChange {
            term: weighted.term,
            old: weighted.factor,
            new: 0.0,
        });
        let terms = added.chain(removed).collect();
        let is_same = |(new, old): (&WeightedTerm, &WeightedTerm)| {
            new.term == old.term && is_near(new.factor, old.factor)
        };
        let has_same_steps =
            new.steps.len() == old.steps.len() && zip(&new.steps, &old.steps).all(is_same);
        Self::Factors { terms, has_other_steps: !has_same_steps }
    }

    /// Returns the change of the cost per element: of the factor of the strongest growth. `None` if
    /// the class changed.
    #[must_use]
    pub fn leading(&self) -> Option<&TermChange> {
        match self {
            Self::Class { .. } => None,
            Self::Factors { terms, .. } => terms.first(),
        }
    }

    /// Returns `true` if the formulas are the same.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Class { .. } => false,
            Self::Factors { terms, has_other_steps } => {
                !has_other_steps && terms.iter().all(TermChange::is_none)
            }
        }
    }
}

/// Returns the factor of a term. Free powers close to each other are the same term.
fn factor(terms: &[WeightedTerm], term: Term) -> Option<f64> {
    let is_same = |other: Term| match (term, other) {
        (Term::Growth(left), Term::Growth(right)) => left.compare(right).is_eq(),
        _ => false,
    };
    terms.iter().find(|other| is_same(other.term)).map(|other| other.factor)
}

/// Returns `true` for factors that only differ by the errors of their computation.
fn is_near(new: f64, old: f64) -> bool {
    (new - old).abs() <= 1e-6 * old.abs()
}

impl TermChange {
    /// Returns the change in percent of the old factor.
    #[must_use]
    pub fn percentage(&self) -> f64 {
        if self.is_none() { 0.0 } else { (self.new - self.old) / self.old.abs() * 100.0 }
    }

    /// Returns `true` if both factors are the same, but for the errors of their computation.
    #[must_use]
    pub fn is_none(&self) -> bool {
        is_near(self.new, self.old)
    }
}

/// Writes `per element +3.1 %, constant -40 %`.
impl fmt::Display for FitChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class { old, new, is_certain: true } => {
                write!(formatter, "class changed from O({old}) to O({new})")
            }
            Self::Class { old, new, is_certain: false } => {
                write!(formatter, "O({new}) after O({old}), but the sizes exclude neither")
            }
            Self::Factors { .. } if self.is_none() => formatter.write_str("no change"),
            Self::Factors { terms, has_other_steps } => {
                for (index, term) in terms.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{term}")?;
                }
                formatter.write_str(if *has_other_steps { ", other steps" } else { "" })
            }
        }
    }
}

impl fmt::Display for TermChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term {
            Term::Growth(Class::Named(Complexity::Constant)) => formatter.write_str("constant")?,
            Term::Growth(Class::Named(Complexity::N)) => formatter.write_str("per element")?,
            Term::Growth(class) => write!(formatter, "per {class}")?,
            Term::Jump { .. } | Term::Slope { .. } => formatter.write_str("step")?,
        }
        if !self.is_none() && (self.old == 0.0 || self.new == 0.0) {
            let [old, new] = [self.old, self.new].map(factor_text);
            return write!(formatter, " {old} → {new}");
        }
        let percentage = self.percentage();
        match (self.is_none(), percentage < 0.0) {
            (true, _) => formatter.write_str(" no change"),
            (false, _) if percentage.abs() < 0.005 => formatter.write_str(" nearly no change"),
            (false, true) => write!(formatter, " -{}", percent(-percentage)),
            (false, false) => write!(formatter, " +{}", percent(percentage)),
        }
    }
}
