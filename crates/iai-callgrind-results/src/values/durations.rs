//! Parsers of durations and of parts of them.

use std::time::Duration;

use iai_callgrind_plan::Percentage;

/// Parses a duration with a unit. Zero is an error.
pub fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    let duration = humantime::parse_duration(text).ok();
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or("expected a duration such as `10s`, `500ms` or `2m`")
}

/// Parses a duration with a unit, or a number of seconds. Zero is an error.
pub fn parse_seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
    match seconds {
        Some(duration) if !duration.is_zero() => Ok(duration),
        Some(_) => Err("expected a duration above zero"),
        None => parse_duration(text),
    }
}

/// Parses a percentage above zero, with or without its sign.
pub fn parse_change(text: &str) -> Result<Percentage, &'static str> {
    let number = text.strip_suffix('%').unwrap_or(text).trim_end().parse();
    let number = number.ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.map(Percentage::new).ok_or("expected a percentage above zero such as `1%`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_unit_is_in_seconds() {
        for (text, milliseconds) in [("5", 5000), ("0.5", 500), ("5s", 5000), ("1m", 60_000)] {
            assert_eq!(parse_seconds(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for wrong in ["", "0", "0s", "-1", "inf", "nan", "1e30", "five"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_percentage_has_a_sign_or_none() {
        for text in ["2", "2%", "2 %", "2.0%"] {
            assert_eq!(parse_change(text), Ok(Percentage::new(2.0)), "{text}");
        }
        for wrong in ["", "%", "0", "-1%", "x", "2%%", "inf"] {
            assert!(parse_change(wrong).is_err(), "{wrong}");
        }
    }
}
