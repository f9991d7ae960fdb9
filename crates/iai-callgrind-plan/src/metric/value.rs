//! One value of a metric, and its format.
//!
//! Only the runner uses this module. `#[inline]` keeps its code out of the library's build.

use std::cmp::Ordering;
use std::fmt;

/// Number of digits of a number with a fraction, including a leading zero.
const SIGNIFICANT_DIGITS: usize = 6;

/// The value of a metric.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// An exact number of events.
    Count(u64),
    /// A number with a fraction: a share in percent, or instructions per byte, element or bit.
    Rate(f64),
}

impl Value {
    /// Returns the nearest floating point number.
    #[must_use]
    #[inline]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Rate(rate) => rate,
        }
    }

    /// Compares two values of the same metric. Counts are exact.
    #[must_use]
    pub fn total_cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Count(a), Self::Count(b)) => a.cmp(b),
            (a, b) => a.as_f64().total_cmp(&b.as_f64()),
        }
    }

    /// Returns the absolute difference from another value of the same metric.
    #[must_use]
    #[inline]
    pub fn distance(self, other: Self) -> Self {
        match (self, other) {
            (Self::Count(a), Self::Count(b)) => Self::Count(a.abs_diff(b)),
            (a, b) => Self::Rate((a.as_f64() - b.as_f64()).abs()),
        }
    }
}

/// Compares the numbers: a counter can be a count in one result and have a fraction in the other.
impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Count(a), Self::Count(b)) => Some(a.cmp(b)),
            (a, b) => a.as_f64().partial_cmp(&b.as_f64()),
        }
    }
}

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// Writes all digits of a count, and six digits of a rate: `99.4317`, `0.28833`.
impl fmt::Display for Value {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => fmt::Display::fmt(count, f),
            Self::Rate(rate) => f.pad(&digits(*rate)),
        }
    }
}

/// Returns a number without its sign and with six significant digits, including a leading zero.
///
/// A number with more digits before its point has all of these and no fraction. The choice depends
/// on the rounded text, which keeps 9.999999 from becoming 10.00000.
#[must_use]
#[inline]
pub fn digits(number: f64) -> String {
    let number = number.abs();
    (0..SIGNIFICANT_DIGITS)
        .rev()
        .map(|decimals| format!("{number:.decimals$}"))
        .find(|text| text.len() <= SIGNIFICANT_DIGITS + ".".len())
        .unwrap_or_else(|| format!("{number:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_and_rates_have_six_digits() {
        assert_eq!(Value::Count(u64::MAX).to_string(), "18446744073709551615");
        for (rate, text) in [
            (0.0, "0.00000"),
            (0.288_325, "0.28832"),
            (9.999_999, "10.0000"),
            (18.524_2, "18.5242"),
            (99.999_99, "100.000"),
            (100.0, "100.000"),
        ] {
            assert_eq!(Value::Rate(rate).to_string(), text);
        }
        assert_eq!(
            format!("{:>8}|{:<8}|", Value::Count(5), Value::Rate(5.0)),
            "       5|5.00000 |"
        );
    }

    #[test]
    fn no_difference_of_counts_is_lost() {
        let (a, b) = (Value::Count(u64::MAX), Value::Count(u64::MAX - 1));
        assert!(a > b);
        assert_eq!((a.distance(b), b.distance(a)), (Value::Count(1), Value::Count(1)));
    }

    #[test]
    fn counts_and_rates_are_compared_as_numbers() {
        assert!(Value::Count(3) > Value::Rate(2.5) && Value::Rate(3.5) > Value::Count(3));
        assert_eq!(Value::Count(3), Value::Rate(3.0));
        assert_eq!(Value::Count(3).distance(Value::Rate(2.5)), Value::Rate(0.5));
    }
}
