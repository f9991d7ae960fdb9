//! The difference of two fits.

use std::fmt;

use iai_callgrind_plan::Complexity;

use crate::fitted::Fit;
use crate::number::percent;
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
    },
    /// The class is the same. Terms that only one of the fits has are not listed.
    Factors(Vec<TermChange>),
}

/// Change of the factor of a term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermChange {
    /// Term that both fits have.
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
        let (new, old) = (&new.formula, &old.formula);
        if new.class.compare(old.class).is_ne() {
            return Self::Class { old: old.class, new: new.class };
        }
        let factor_of = |term: Term| {
            let is_same = |other: Term| match (term, other) {
                (Term::Growth(left), Term::Growth(right)) => left.compare(right).is_eq(),
                _ => false,
            };
            old.terms.iter().find(|other| is_same(other.term)).map(|other| other.factor)
        };
        let change = |weighted: &crate::WeightedTerm| {
            let old = factor_of(weighted.term)?;
            Some(TermChange { term: weighted.term, old, new: weighted.factor })
        };
        Self::Factors(new.terms.iter().filter_map(change).collect())
    }

    /// Returns the change of the cost per element: of the factor of the strongest growth. `None` if the class is another
    /// one.
    #[must_use]
    pub fn leading(&self) -> Option<&TermChange> {
        match self {
            Self::Class { .. } => None,
            Self::Factors(factors) => factors.first(),
        }
    }

    /// Returns `true` if class and factors are the same.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Class { .. } => false,
            Self::Factors(factors) => factors.iter().all(TermChange::is_none),
        }
    }
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
        (self.new - self.old).abs() <= 1e-6 * self.old.abs()
    }
}

/// Writes `per element +3.1 %, constant -40 %`.
impl fmt::Display for FitChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Class { old, new } => {
                write!(formatter, "class changed from O({old}) to O({new})")
            }
            Self::Factors(_) if self.is_none() => formatter.write_str("no change"),
            Self::Factors(factors) => {
                for (index, factor) in factors.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{factor}")?;
                }
                Ok(())
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
        let percentage = self.percentage();
        match (self.is_none(), percentage < 0.0) {
            (true, _) => formatter.write_str(" no change"),
            (false, true) => write!(formatter, " -{}", percent(-percentage)),
            (false, false) => write!(formatter, " +{}", percent(percentage)),
        }
    }
}
