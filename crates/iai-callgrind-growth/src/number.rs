//! Numbers as text.

/// Number of digits of factors.
const DIGITS: i32 = 5;

/// Formats a factor with five digits, and one that is nearly a whole number without a fraction.
#[must_use]
pub fn factor_text(value: f64) -> String {
    let nearest = value.round();
    if nearest != 0.0 && (value - nearest).abs() <= 1e-6 * nearest.abs() {
        return format!("{nearest}");
    }
    significant(value, DIGITS)
}

/// Formats a percentage with three digits, and at most two after the point.
pub(crate) fn percent(value: f64) -> String {
    if value < 0.005 {
        return "0 %".to_owned();
    }
    let decimals = if value < 1.0 { 2 } else { usize::from(value < 100.0) };
    format!("{} %", without_zeros(&format!("{value:.decimals$}")))
}

/// Formats a number with this many digits. Very large and very small ones have an exponent.
pub(crate) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    #[expect(clippy::cast_possible_truncation, reason = "an exponent is small")]
    let exponent = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    if (-5..15).contains(&exponent) {
        without_zeros(&format!("{value:.decimals$}")).to_owned()
    } else {
        let decimals = usize::try_from(digits - 1).unwrap_or(0);
        format!("{value:.decimals$e}")
    }
}

/// Returns the text of a number without the zeros at the end of its fraction.
fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_digits() {
        for (value, text) in [
            (12.02, "12.02"),
            (12.0, "12"),
            (11.999_999_999, "12"),
            (123_456.7, "123457"),
            (1.234_567_8, "1.2346"),
            (0.031_25, "0.03125"),
            (0.000_012_345_6, "0.000012346"),
            (1.5e-9, "1.5000e-9"),
            (1e15, "1000000000000000"),
            (1.5e21, "1500000000000000000000"),
            (0.0, "0"),
        ] {
            assert_eq!(factor_text(value), text);
        }
    }

    #[test]
    fn percentages() {
        for (value, text) in [
            (0.0, "0 %"),
            (0.004, "0 %"),
            (0.04, "0.04 %"),
            (0.4, "0.4 %"),
            (12.345, "12.3 %"),
            (100.4, "100 %"),
        ] {
            assert_eq!(percent(value), text);
        }
    }
}
