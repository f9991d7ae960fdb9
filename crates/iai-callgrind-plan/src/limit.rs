//! Limits and percentages.

use crate::json::{json_enum, json_struct};
use std::fmt;

/// Declares types of numbers with a fraction. JSON has neither NaN nor infinities, so the plan
/// contains the bits of such a number. The runner can then name the benchmark in which a number is
/// not finite.
macro_rules! numbers {
    ($($(#[$about:meta])+ $type:ident;)+) => {$(
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        pub struct $type {
            bits: u64,
        }

        impl $type {
            /// Makes it of any number.
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

        impl From<f64> for $type {
            fn from(number: f64) -> Self {
                Self::new(number)
            }
        }

        json_struct!($type { bits });
    )+};
}

numbers! {
    /// A percentage.
    Percentage;
    /// A value with a fraction, such as a rate or a ratio.
    Rate;
}

impl fmt::Display for Percentage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}%", self.get())
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

json_enum!(Limit { Soft { change }, Count { value }, Rate { value } });
