//! Parsers of durations and of parts of them.

use std::time::Duration;

/// Parses a duration with a unit. Zero is an error.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    let duration = humantime::parse_duration(text).ok();
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or("expected a duration such as `10s`, `500ms` or `2m`")
}

/// Parses a percentage above zero, with or without its sign, as a part of one.
pub(crate) fn parse_part(text: &str) -> Result<f64, &'static str> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse();
    let number = number.ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.map(|number| number / 100.0).ok_or("expected a percentage above zero such as `1%`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_a_percentage_with_or_without_its_sign() {
        for text in ["2", "2%", "2 %", "2.0%"] {
            assert_eq!(parse_part(text), Ok(0.02), "{text}");
        }
        for wrong in ["", "%", "0", "-1%", "x", "2%%", "inf"] {
            assert!(parse_part(wrong).is_err(), "{wrong}");
        }
    }
}
