//! Counters: named values that a benchmark reports itself.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::json::{Json, json_enum, json_struct, string};
use crate::metric::{MetricKind, Value};

/// Maximum number of counters of a benchmark.
pub const MOST_COUNTERS: usize = 64;

/// A named value that a benchmark reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Counter {
    /// Name of the counter.
    pub name: CounterName,
    /// Reported value.
    pub value: CounterValue,
}

/// The value of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub enum CounterValue {
    /// An integer.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::json::only"))]
    Count(u64),
    /// The bits of a number with a fraction, which is finite and not negative.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "number_bits"))]
    Number(u64),
}

impl CounterValue {
    /// Returns the value of a number with a fraction; `None` if it is negative or not finite.
    #[must_use]
    #[inline]
    pub fn number(number: f64) -> Option<Self> {
        // Negative zero is equal to zero
        let is_valid = number.is_finite() && number >= 0.0;
        is_valid.then(|| Self::Number(number.abs().to_bits()))
    }
}

impl From<CounterValue> for Value {
    #[inline]
    fn from(value: CounterValue) -> Self {
        match value {
            CounterValue::Count(count) => Self::Count(count),
            CounterValue::Number(bits) => Self::Rate(f64::from_bits(bits)),
        }
    }
}

/// Reads the bits of a valid number.
#[cfg(feature = "serde")]
fn number_bits<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let bits = crate::json::only(deserializer)?;
    let valid = CounterValue::number(f64::from_bits(bits));
    valid.map(|_| bits).ok_or_else(|| serde::de::Error::custom("the number is not a value"))
}

/// The name of a counter. All counters with the same name share its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CounterName(&'static str);

impl CounterName {
    /// Maximum number of characters.
    pub const LONGEST: usize = 60;
    /// Characters that separate names from values on the command line, in tables and in the output.
    const SEPARATORS: [char; 4] = ['|', ':', ',', '='];

    /// Checks a name.
    ///
    /// # Errors
    ///
    /// Returns an error if the text can't be the name of a counter.
    #[inline]
    pub fn new(name: &str) -> Result<Self, CounterNameError> {
        let is_wrong =
            |character: &char| character.is_control() || Self::SEPARATORS.contains(character);
        if name.is_empty() {
            return Err(CounterNameError::Empty);
        }
        if name.chars().count() > Self::LONGEST {
            return Err(CounterNameError::TooLong);
        }
        if let Some(character) = name.chars().find(is_wrong) {
            return Err(CounterNameError::Character(character));
        }
        if name.trim() != name {
            return Err(CounterNameError::Space);
        }
        let is_metric =
            |kind: &MetricKind| kind.has_name(name) || kind.label().eq_ignore_ascii_case(name);
        if MetricKind::ALL.iter().any(is_metric) {
            return Err(CounterNameError::Metric);
        }
        Ok(Self(shared(name)))
    }

    /// Returns the text.
    #[must_use]
    #[inline]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

/// Returns the text of this name that all counters share. There are few names, so none is freed.
#[inline]
fn shared(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for CounterName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::new(&name).map_err(serde::de::Error::custom)
    }
}

impl Json for CounterName {
    fn write(&self, out: &mut String) {
        string(out, self.0);
    }
}

/// The reason why a text is not the name of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterNameError {
    /// No characters.
    Empty,
    /// More characters than [`CounterName::LONGEST`].
    TooLong,
    /// A character that a name can't contain.
    Character(char),
    /// A space at the start or the end.
    Space,
    /// The name or the label of a metric.
    Metric,
}

impl fmt::Display for CounterNameError {
    #[inline]
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => formatter.write_str("the name is empty"),
            Self::TooLong => {
                write!(formatter, "the name is longer than {} characters", CounterName::LONGEST)
            }
            Self::Character(character) => {
                write!(formatter, "the name contains `{}`", character.escape_debug())
            }
            Self::Space => formatter.write_str("the name starts or ends with a space"),
            Self::Metric => formatter.write_str("a metric has that name"),
        }
    }
}

impl std::error::Error for CounterNameError {}

json_struct!(Counter { name, value });
json_enum!(CounterValue { Count(value), Number(value) });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_lines_tables_and_options() {
        let longest = "ä".repeat(CounterName::LONGEST);
        for name in ["nodes visited", "n", "größe (µm) 50 %", "a\"b\\c", &longest] {
            assert_eq!(CounterName::new(name).map(CounterName::as_str), Ok(name));
        }
        let too_long = longest.clone() + "a";
        for (name, error) in [
            ("", CounterNameError::Empty),
            (&too_long, CounterNameError::TooLong),
            ("a|b", CounterNameError::Character('|')),
            ("a:b", CounterNameError::Character(':')),
            ("a,b", CounterNameError::Character(',')),
            ("a=b", CounterNameError::Character('=')),
            ("a\nb", CounterNameError::Character('\n')),
            (" a", CounterNameError::Space),
            ("a ", CounterNameError::Space),
            ("ir", CounterNameError::Metric),
            ("L2 hits", CounterNameError::Metric),
            ("TOTAL BYTES", CounterNameError::Metric),
        ] {
            assert_eq!(CounterName::new(name), Err(error), "{name}");
        }
        assert_eq!(CounterNameError::Character('\n').to_string(), "the name contains `\\n`");
    }

    #[test]
    fn equal_names_share_their_text() {
        let [one, other] = [(); 2].map(|()| CounterName::new("nodes visited").unwrap().as_str());
        assert!(std::ptr::eq(one, other));
    }

    #[test]
    fn numbers_are_finite_and_not_negative() {
        let value = |number| CounterValue::number(number).map(Value::from);
        assert_eq!(value(2.71), Some(Value::Rate(2.71)));
        assert_eq!(CounterValue::number(-0.0), Some(CounterValue::Number(0)));
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(value(wrong), None);
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serde_reads_what_was_written() {
        let name = CounterName::new("nodes \"visited\"").unwrap();
        for value in [CounterValue::Count(u64::MAX), CounterValue::number(0.1).unwrap()] {
            let counter = Counter { name, value };
            assert_eq!(serde_json::from_str::<Counter>(&counter.to_json()).unwrap(), counter);
        }
        let kind = MetricKind::Counter(name);
        assert_eq!(serde_json::from_str::<MetricKind>(&kind.to_json()).unwrap(), kind);
        let nan = f64::NAN.to_bits();
        for (name, value) in
            [("a:b", "{\"Count\":[1]}"), ("a", &*format!("{{\"Number\":[{nan}]}}"))]
        {
            let text = format!("{{\"name\":\"{name}\",\"value\":{value}}}");
            assert!(serde_json::from_str::<Counter>(&text).is_err(), "{text}");
        }
    }
}
