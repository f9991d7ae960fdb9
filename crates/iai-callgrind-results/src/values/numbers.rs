//! Numbers in a range, and numbers that a word can replace.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Parses a number greater than 0, or this word for another number.
pub fn parse_number_or(text: &str, word: &str, number: usize) -> Result<usize, String> {
    if text == word {
        return Ok(number);
    }
    let parsed = text.parse().map(NonZeroUsize::get);
    parsed.map_err(|_| format!("expected a number greater than 0, or `{word}`"))
}

/// Returns a parser of the numbers in this range.
pub fn number_in<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let wrong = || format!("expected a number from {} to {}", range.start(), range.end());
        number.ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_has_an_error_with_the_range() {
        let parse = number_in(6_u32..=1000);
        assert_eq!(parse("6"), Ok(6));
        for wrong in ["x", "5", "1001", "-1", "", "99999999999"] {
            assert_eq!(parse(wrong), Err("expected a number from 6 to 1000".to_owned()));
        }
    }
}
