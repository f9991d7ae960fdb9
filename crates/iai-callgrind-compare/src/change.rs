//! The difference of two values, and its format.

use std::cmp::Ordering;
use std::fmt;

use iai_callgrind_base::numbers;
use iai_callgrind_plan::metric::{Value, digits};

/// Minimum width of a number: a sign, six digits and a point.
const NUMBER_WIDTH: usize = 8;
/// Smallest percentage with six digits.
const SMALLEST_PERCENTAGE: f64 = 0.00001;

/// The difference between a new value and the old one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// One of the values is missing.
    Unknown,
    /// The values are equal, zero included.
    Equal,
    /// An increase from zero.
    FromZero,
    /// A decrease to zero.
    ToZero,
    /// Any other difference.
    By {
        /// `(new - old) / old * 100`.
        percentage: f64,
        /// `new / old` for an increase, `-(old / new)` for a decrease: never between -1 and 1.
        factor: f64,
    },
}

impl Change {
    /// Compares two values, each of which may be missing.
    #[must_use]
    pub fn between(new: Option<Value>, old: Option<Value>) -> Self {
        let (Some(new), Some(old)) = (new, old) else { return Self::Unknown };
        // Subtracts before the conversion to a float, which could make the difference zero
        let (distance, is_less) = (new.distance(old).as_f64(), new < old);
        let (new, old) = (new.as_f64(), old.as_f64());
        let percentage = distance / old * 100.0;
        if distance == 0.0 {
            Self::Equal
        } else if old == 0.0 {
            Self::FromZero
        } else if new == 0.0 {
            Self::ToZero
        } else if is_less {
            Self::By { percentage: -percentage, factor: -(old / new) }
        } else {
            Self::By { percentage, factor: new / old }
        }
    }

    /// Returns true if the values differ by at most this percentage of the old one.
    #[must_use]
    pub fn is_within(self, tolerance: f64) -> bool {
        self != Self::Equal
            && self.percentage().is_some_and(|percentage| percentage.abs() <= tolerance)
    }

    /// Returns whether the new value is greater, equal or less; `None` if a value is missing.
    #[must_use]
    pub fn direction(self) -> Option<Ordering> {
        match self {
            Self::Unknown => None,
            Self::Equal => Some(Ordering::Equal),
            Self::FromZero => Some(Ordering::Greater),
            Self::ToZero => Some(Ordering::Less),
            Self::By { percentage, .. } => percentage.partial_cmp(&0.0),
        }
    }

    /// Returns the difference in percent of the old value, infinite if that is zero.
    #[must_use]
    pub fn percentage(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Equal => Some(0.0),
            Self::FromZero => Some(f64::INFINITY),
            Self::ToZero => Some(-100.0),
            Self::By { percentage, .. } => Some(percentage),
        }
    }

    /// Returns the factor, negative for a decrease; infinite if one of the values is zero.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        match self {
            Self::Unknown => None,
            Self::Equal => Some(1.0),
            Self::FromZero => Some(f64::INFINITY),
            Self::ToZero => Some(f64::NEG_INFINITY),
            Self::By { factor, .. } => Some(factor),
        }
    }

    /// Returns the text in parentheses: `+61.8003%`, `No change`, `*********`.
    #[must_use]
    pub fn percentage_text(self) -> String {
        match self {
            Self::Unknown => "*********".to_owned(),
            Self::Equal => "No change".to_owned(),
            Self::FromZero => "+++inf+++".to_owned(),
            Self::ToZero => "-100.000%".to_owned(),
            Self::By { percentage, .. } => {
                // A difference is never printed as zero, however small it is
                let visible = percentage.abs().max(SMALLEST_PERCENTAGE).copysign(percentage);
                percent(visible)
            }
        }
    }

    /// Returns the text in a sentence or in a row for people: `+61.8 %`, `no change`; empty if a value is missing.
    #[must_use]
    pub fn short_text(self) -> String {
        match self {
            Self::Unknown => String::new(),
            Self::Equal => "no change".to_owned(),
            Self::FromZero => "from 0".to_owned(),
            Self::ToZero => "to 0".to_owned(),
            Self::By { percentage, .. } => numbers::percent(percentage),
        }
    }

    /// Returns the text in a column: as in a sentence, with the same number of digits in each row.
    #[must_use]
    pub fn column_text(self) -> String {
        match self {
            Self::By { percentage, .. } => numbers::percent_in_column(percentage),
            _ => self.short_text(),
        }
    }

    /// Returns the text in square brackets, if there is one: `+1.61800x`, `---inf---`.
    #[must_use]
    pub fn factor_text(self) -> Option<String> {
        match self {
            Self::Unknown | Self::Equal => None,
            Self::FromZero => Some("+++inf+++".to_owned()),
            Self::ToZero => Some("---inf---".to_owned()),
            Self::By { factor, .. } => Some(format!("{}x", signed(factor))),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.percentage_text())?;
        match self.factor_text() {
            Some(factor) => write!(f, " [{factor}]"),
            None => Ok(()),
        }
    }
}

/// Formats a percentage.
fn percent(number: f64) -> String {
    format!("{}%", signed(number))
}

/// Formats a number with its sign and six significant digits.
fn signed(number: f64) -> String {
    let sign = if number.is_sign_negative() { '-' } else { '+' };
    format!("{:>NUMBER_WIDTH$}", format!("{sign}{}", digits(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(new: u64, old: u64) -> String {
        Change::between(Some(Value::Count(new)), Some(Value::Count(old))).to_string()
    }

    #[test]
    fn changes_of_counts() {
        assert_eq!(text(2804, 1733), "(+61.8003%) [+1.61800x]");
        assert_eq!(text(16_201_596, 26_214_733), "(-38.1966%) [-1.61803x]");
        assert_eq!(text(94, 103), "(-8.73786%) [-1.09574x]");
        assert_eq!(text(3, 4), "(-25.0000%) [-1.33333x]");
        assert_eq!(text(22_025_983, 35_638_757), "(-38.1965%) [-1.61803x]");
        assert_eq!(text(7, 7), "(No change)");
        assert_eq!(text(0, 0), "(No change)");
    }

    #[test]
    fn a_missing_value_on_either_side() {
        let one = Some(Value::Count(1));
        for (new, old) in [(one, None), (None, one), (None, None)] {
            let change = Change::between(new, old);
            assert_eq!(change.to_string(), "(*********)");
            assert_eq!((change.direction(), change.percentage()), (None, None));
        }
    }

    #[test]
    fn from_and_to_zero() {
        assert_eq!(text(10, 0), "(+++inf+++) [+++inf+++]");
        assert_eq!(text(0, 10), "(-100.000%) [---inf---]");
        assert_eq!(Change::ToZero.percentage(), Some(-100.0));
        assert_eq!(Change::FromZero.direction(), Some(Ordering::Greater));
    }

    #[test]
    fn a_factor_has_the_sign_of_the_change() {
        let factor =
            |new, old| Change::between(Some(Value::Count(new)), Some(Value::Count(old))).factor();
        assert_eq!([factor(6, 4), factor(4, 6), factor(4, 4)], [Some(1.5), Some(-1.5), Some(1.0)]);
        assert_eq!([factor(4, 0), factor(0, 4)], [Some(f64::INFINITY), Some(f64::NEG_INFINITY)]);
        assert_eq!(Change::Unknown.factor(), None);
    }

    #[test]
    fn texts_of_sentences_and_columns() {
        let texts = |new, old| {
            let change = Change::between(Some(Value::Count(new)), Some(Value::Count(old)));
            (change.short_text(), change.column_text())
        };
        let text = |short: &str, column: &str| (short.to_owned(), column.to_owned());
        assert_eq!(texts(150, 100), text("+50 %", "+50.0 %"));
        assert_eq!(texts(100, 150), text("-33.3 %", "-33.3 %"));
        assert_eq!(texts(100, 100), text("no change", "no change"));
        assert_eq!(texts(1, 0), text("from 0", "from 0"));
        assert_eq!(texts(0, 1), text("to 0", "to 0"));
        assert_eq!(Change::Unknown.short_text(), "");
    }

    #[test]
    fn six_digits_in_every_range() {
        assert_eq!(text(100_005, 100_000), "(+0.00500%) [+1.00005x]");
        assert_eq!(text(100_123, 100_000), "(+0.12300%) [+1.00123x]");
        assert_eq!(text(100, 99), "(+1.01010%) [+1.01010x]");
        assert_eq!(text(110, 100), "(+10.0000%) [+1.10000x]");
        assert_eq!(text(1000, 100), "(+900.000%) [+10.0000x]");
        assert_eq!(text(1100, 100), "(+1000.00%) [+11.0000x]");
        assert_eq!(text(123_456, 1000), "(+12245.6%) [+123.456x]");
        assert_eq!(text(1_234_567, 1000), "( +123357%) [+1234.57x]");
        assert_eq!(text(1_234_567, 100), "(+1234467%) [+12345.7x]");
        assert_eq!(text(12_345_670, 100), "(+12345570%) [ +123457x]");
        assert_eq!(text(5, 1_000_000), "(-99.9995%) [ -200000x]");
        assert_eq!(text(100, 123_456), "(-99.9190%) [-1234.56x]");
    }

    #[test]
    fn a_carry_does_not_add_a_digit() {
        assert_eq!(text(1_099_999_999, 1_000_000_000), "(+10.0000%) [+1.10000x]");
        assert_eq!(text(19_999_999, 10_000_000), "(+100.000%) [+2.00000x]");
        assert_eq!(text(99_999_995, 10_000_000), "(+900.000%) [+10.0000x]");
        assert_eq!(text(999_999_949, 10_000_000), "(+9900.00%) [+100.000x]");
        assert_eq!(text(1, 123_456_789), "(-100.000%) [-123456789x]");
        assert_eq!(signed(99_999.96), " +100000");
        assert_eq!(signed(99_999.94), "+99999.9");
    }

    #[test]
    fn a_difference_is_never_printed_as_none() {
        assert_eq!(text(1_000_000_001, 1_000_000_000), "(+0.00001%) [+1.00000x]");
        assert_eq!(text(999_999_999, 1_000_000_000), "(-0.00001%) [-1.00000x]");
        assert_eq!(text(u64::MAX, u64::MAX - 1), "(+0.00001%) [+1.00000x]");
        assert_eq!(text(u64::MAX - 1, u64::MAX), "(-0.00001%) [-1.00000x]");
    }

    #[test]
    fn rates_change_by_percent_of_the_old_rate() {
        let change = |new, old| Change::between(Some(Value::Rate(new)), Some(Value::Rate(old)));
        assert_eq!(change(18.524_24, 1.357_673).to_string(), "(+1264.41%) [+13.6441x]");
        assert_eq!(change(0.5, 0.5).to_string(), "(No change)");
        assert_eq!(change(0.5, 0.0).to_string(), "(+++inf+++) [+++inf+++]");
        assert_eq!(change(0.0, 0.5).to_string(), "(-100.000%) [---inf---]");
    }

    #[test]
    fn a_tolerance_includes_its_limit() {
        let change = |new, old| Change::between(Some(Value::Count(new)), Some(Value::Count(old)));
        assert!(change(101, 100).is_within(1.0) && change(99, 100).is_within(1.0));
        assert!(!change(102, 100).is_within(1.0) && !change(98, 100).is_within(1.0));
        assert!(!change(100, 100).is_within(1.0), "equal values need no tolerance");
        assert!(!change(101, 100).is_within(0.0));
        assert!(!change(1, 0).is_within(1e300) && !Change::Unknown.is_within(1.0));
    }

    #[test]
    fn the_largest_values() {
        assert_eq!(text(u64::MAX, 1), "(+1844674407370955161600%) [+18446744073709551616x]");
        assert_eq!(text(1, u64::MAX), "(-100.000%) [-18446744073709551616x]");
    }
}
