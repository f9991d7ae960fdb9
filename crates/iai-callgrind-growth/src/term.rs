//! Terms of formulas, and classes of growth.

use std::cmp::Ordering;
use std::fmt;

use iai_callgrind_plan::Complexity;

use crate::number::significant;

/// Class of growth of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Class {
    /// A class with a name. The base of [`Complexity::Exponential`] is [`Class::Exponential`]'s.
    Named(Complexity),
    /// A power of the size with an exponent that is not a whole number, such as `n^1.58`.
    Power(f64),
    /// A power with this base, such as `1.618ⁿ`.
    Exponential(f64),
}

/// Function of the size in a formula, without its factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Term {
    /// A class of growth. Logarithms have the base 2.
    Growth(Class),
    /// 1 for sizes above this one, 0 for others.
    Jump {
        /// Last measured size before the jump.
        after: f64,
    },
    /// The size itself for sizes above this one, 0 for others.
    Slope {
        /// Last measured size before the change.
        after: f64,
    },
}

impl Term {
    /// The constant.
    pub(crate) const CONSTANT: Self = Self::named(Complexity::Constant);

    /// Returns the term of a class with a name.
    pub(crate) const fn named(class: Complexity) -> Self {
        Self::Growth(Class::Named(class))
    }

    /// Returns the value at a size.
    #[must_use]
    pub fn value(self, n: f64) -> f64 {
        match self {
            Self::Growth(class) => class.value(n),
            Self::Jump { after } => f64::from(n > after),
            Self::Slope { after } => {
                if n > after {
                    n
                } else {
                    0.0
                }
            }
        }
    }

    /// Returns the last size before a step; `None` for a term that holds for all sizes.
    #[must_use]
    pub fn after(self) -> Option<f64> {
        match self {
            Self::Growth(_) => None,
            Self::Jump { after } | Self::Slope { after } => Some(after),
        }
    }
}

impl Class {
    /// Returns the value of the class's function at a size.
    fn value(self, n: f64) -> f64 {
        match self {
            Self::Named(named) => match named {
                Complexity::Constant => 1.0,
                Complexity::LogN => n.log2(),
                Complexity::SqrtN => n.sqrt(),
                Complexity::N => n,
                Complexity::NLogN => n * n.log2(),
                Complexity::NSquared => n * n,
                Complexity::NSquaredLogN => n * n * n.log2(),
                Complexity::NCubed => n * n * n,
                Complexity::Exponential => n.exp2(),
            },
            Self::Power(exponent) => n.powf(exponent),
            Self::Exponential(base) => base.powf(n),
        }
    }

    /// Returns `true` if the class grows faster than a limit. Exponentials are one class, whatever their base.
    #[must_use]
    pub fn exceeds(self, limit: Complexity) -> bool {
        self.compare(Self::Named(limit)) == Ordering::Greater
    }

    /// Compares two classes by their growth.
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let (left, right) = (self.order(), other.order());
        // Free powers close to each other are the same class
        if (left.0 - right.0).abs() < 0.05 && (self.is_power() && other.is_power()) {
            return Ordering::Equal;
        }
        left.0.total_cmp(&right.0).then(left.1.cmp(&right.1))
    }

    fn is_power(self) -> bool {
        matches!(self, Self::Power(_))
    }

    /// Returns the exponent of the size and that of the logarithm.
    fn order(self) -> (f64, u8) {
        match self {
            Self::Named(named) => match named {
                Complexity::Constant => (0.0, 0),
                Complexity::LogN => (0.0, 1),
                Complexity::SqrtN => (0.5, 0),
                Complexity::N => (1.0, 0),
                Complexity::NLogN => (1.0, 1),
                Complexity::NSquared => (2.0, 0),
                Complexity::NSquaredLogN => (2.0, 1),
                Complexity::NCubed => (3.0, 0),
                Complexity::Exponential => (f64::INFINITY, 0),
            },
            Self::Power(exponent) => (exponent, 0),
            Self::Exponential(_) => (f64::INFINITY, 0),
        }
    }
}

/// Writes the function without the size that it holds above: `n log n`.
impl fmt::Display for Term {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Growth(class) => class.fmt(formatter),
            Self::Jump { .. } => formatter.write_str("1"),
            Self::Slope { .. } => formatter.write_str("n"),
        }
    }
}

/// Writes the class without an `O`: `n log n`.
impl fmt::Display for Class {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(class) => class.fmt(formatter),
            Self::Power(exponent) => write!(formatter, "n^{}", significant(*exponent, 3)),
            Self::Exponential(base) => write!(formatter, "{}ⁿ", significant(*base, 4)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_an_order() {
        let named = Complexity::ALL.map(Class::Named);
        for (index, class) in named.iter().enumerate() {
            for (other_index, other) in named.iter().enumerate() {
                assert_eq!(class.compare(*other), index.cmp(&other_index), "{class} and {other}");
            }
        }
        assert!(Class::Power(1.58).exceeds(Complexity::NLogN));
        assert!(!Class::Power(1.58).exceeds(Complexity::NSquared));
        assert!(Class::Exponential(1.6).exceeds(Complexity::NCubed));
        assert!(!Class::Exponential(3.0).exceeds(Complexity::Exponential));
        assert_eq!(Class::Power(1.58).compare(Class::Power(1.6)), Ordering::Equal);
        assert_eq!(Class::Power(1.58).compare(Class::Power(1.7)), Ordering::Less);
    }

    #[test]
    fn classes_as_text() {
        assert_eq!(Class::Named(Complexity::NSquaredLogN).to_string(), "n² log n");
        assert_eq!(Class::Power(1.5849).to_string(), "n^1.58");
        assert_eq!(Class::Exponential(1.618_033).to_string(), "1.618ⁿ");
        assert_eq!(Class::Exponential(2.0).to_string(), "2ⁿ");
    }
}
