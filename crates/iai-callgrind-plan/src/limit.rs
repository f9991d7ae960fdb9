//! Limits and percentages.

use crate::json::{json_enum, json_struct};
use std::fmt;

/// A percentage.
///
/// The plan contains the bits of the number, because JSON has neither NaN nor infinities: the runner can
/// name the benchmark in which a number is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Percentage {
    bits: u64,
}

impl Percentage {
    /// Makes a percentage of any number.
    #[must_use]
    pub const fn new(number: f64) -> Self {
        Self { bits: number.to_bits() }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.bits)
    }
}

impl From<f64> for Percentage {
    fn from(number: f64) -> Self {
        Self::new(number)
    }
}

impl fmt::Display for Percentage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}%", self.get())
    }
}

/// A value with a fraction, such as a rate or a ratio.
///
/// The plan contains its bits, for the same reason as those of a [`Percentage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Rate {
    bits: u64,
}

impl Rate {
    /// Makes a rate of any number.
    #[must_use]
    pub const fn new(number: f64) -> Self {
        Self { bits: number.to_bits() }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.bits)
    }
}

impl From<f64> for Rate {
    fn from(number: f64) -> Self {
        Self::new(number)
    }
}

/// A limit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum Limit {
    /// Largest increase in percent of the old value; a negative one is the largest decrease.
    Soft {
        /// The limit itself.
        change: Percentage,
    },
    /// Largest value, as a whole number.
    Count {
        /// The limit itself.
        value: u64,
    },
    /// Largest value, as a number with a fraction. Only a rate can have one.
    Rate {
        /// The limit itself.
        value: Rate,
    },
}

json_struct!(Percentage { bits });
json_struct!(Rate { bits });
json_enum!(Limit { Soft { change }, Count { value }, Rate { value } });
