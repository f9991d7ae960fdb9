//! Numbers for people: thousands separators, and percentages of at most three significant digits.

use iai_callgrind_plan::metric::{Value, digits};

/// Number of significant digits of a percentage.
const DIGITS: usize = 3;

/// Maximum number of significant digits for two percentages that must differ.
const MOST_DIGITS: usize = 17;

/// Width of the column of [`percent_in_column`].
pub const PERCENT_WIDTH: usize = 9;

/// The largest factor that fits into this column with `>` before it.
const LARGEST_FACTOR: f64 = 99_999.0;

/// Returns a count with separators: `1,414,044`.
pub fn grouped(count: u64) -> String {
    separated(&count.to_string())
}

/// Returns the mean of counts, or their deviation, with one decimal place: `112,788.4`.
pub fn mean(number: f64) -> String {
    separated(&format!("{number:.1}"))
}

/// Returns a difference with its sign: `+1,414,044`.
pub fn difference(old: u64, new: u64) -> String {
    let sign = if new < old { '-' } else { '+' };
    format!("{sign}{}", grouped(old.abs_diff(new)))
}

/// Returns a value with separators; a rate has six digits.
pub fn value(value: Value) -> String {
    match value {
        Value::Count(count) => grouped(count),
        Value::Rate(rate) => separated(&digits(rate)),
    }
}

/// Returns a number with separators, with its fraction if it has one.
pub fn number(number: f64) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{}", separated(&number.abs().to_string()))
}

/// Returns a change with its sign, this number of digits after the point and separators: `+1,086.7`.
pub fn fixed(change: f64, digits: usize) -> String {
    let sign = if change.is_sign_negative() { '-' } else { '+' };
    format!("{sign}{}", separated(&format!("{:.digits$}", change.abs())))
}

/// Returns a number of times: `once`, `2 times`.
pub fn times(number: u64) -> String {
    match number {
        1 => "once".to_owned(),
        number => format!("{} times", grouped(number)),
    }
}

/// Returns the smallest and the largest of some values.
pub fn extent(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    values.into_iter().fold(start, |(low, high), value| (low.min(value), high.max(value)))
}

/// Returns a range of percentages, or the only one: `+4 % to +57 %`.
pub fn percent_range((least, most): (f64, f64)) -> String {
    match (percent(least), percent(most)) {
        (least, most) if least == most => most,
        (least, most) => format!("{least} to {most}"),
    }
}

/// Returns a percentage with its sign: `+89.7 %`, `-0.0123 %`, `0 %`.
pub fn percent(percentage: f64) -> String {
    let text = percent_of(percentage, DIGITS);
    // A decrease to nearly nothing must not be rounded to -100 %
    if text == "-100 %" && percentage > -100.0 { percent_of(percentage, MOST_DIGITS) } else { text }
}

/// Returns a percentage for a column of [`PERCENT_WIDTH`], with three significant digits in each row: `+20.0 %`, `-4.00 %`. A
/// percentage that does not fit has a bound, `+<0.01 %` or `->99.9 %`, or becomes a factor, `1,235x`.
pub fn percent_in_column(percentage: f64) -> String {
    let text = percent(percentage);
    let number = text.trim_end_matches(" %");
    let digits = number.trim_start_matches(['+', '-', '0', '.']).chars();
    let missing = DIGITS.saturating_sub(digits.filter(char::is_ascii_digit).count());
    let is_whole = missing == 0 || percentage == 0.0 || !percentage.is_finite();
    let point = if number.contains('.') { "" } else { "." };
    let text = if is_whole { text } else { format!("{number}{point}{} %", "0".repeat(missing)) };
    if text.chars().count() <= PERCENT_WIDTH {
        return text;
    }
    let factor = percentage / 100.0 + 1.0;
    if percentage.abs() < 1.0 {
        let sign = if percentage < 0.0 { '-' } else { '+' };
        return format!("{sign}<0.01 %");
    }
    match factor {
        _ if factor < 1.0 => "->99.9 %".to_owned(),
        _ if factor <= LARGEST_FACTOR => format!("{}x", separated(&format!("{factor:.0}"))),
        _ => format!(">{}x", separated(&format!("{LARGEST_FACTOR:.0}"))),
    }
}

/// Returns a percentage with as many digits as distinguish it from another one: `+5.0004 %` next to `+5 %`.
pub fn percent_beyond(percentage: f64, other: f64) -> String {
    let differs = |text: &String| *text != percent(other);
    let more = (DIGITS..=MOST_DIGITS).map(|digits| percent_of(percentage, digits)).find(differs);
    more.unwrap_or_else(|| percent(percentage))
}

fn percent_of(percentage: f64, digits: usize) -> String {
    if percentage == 0.0 {
        return "0 %".to_owned();
    }
    let sign = if percentage < 0.0 { '-' } else { '+' };
    format!("{sign}{} %", significant(percentage.abs(), digits))
}

/// Returns a positive number rounded to this number of significant digits, without zeros at the end.
fn significant(number: f64, digits: usize) -> String {
    if !number.is_finite() {
        return "∞".to_owned();
    }
    let rounded = format!("{number:.*e}", digits.saturating_sub(1));
    let number: f64 = rounded.parse().unwrap_or(number);
    separated(&number.to_string())
}

/// Separates the thousands of a number without a sign.
fn separated(number: &str) -> String {
    let (whole, fraction) = number.split_at(number.find('.').unwrap_or(number.len()));
    let mut text = String::with_capacity(number.len() * 4 / 3);
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let grouped = [0, 999, 1000, 1_414_044, u64::MAX].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "1,414,044", "18,446,744,073,709,551,615"]);
        assert_eq!(value(Value::Rate(1234.5)), "1,234.50");
        assert_eq!([number(12_345.0), number(-1234.5)], ["12,345", "-1,234.5"]);
        assert_eq!([difference(5, 1005), difference(1005, 5)], ["+1,000", "-1,000"]);
        assert_eq!([times(0), times(1), times(2)], ["0 times", "once", "2 times"]);
    }

    #[test]
    fn percentages_of_a_column_have_the_same_digits() {
        for (percentage, text) in [
            (20.0, "+20.0 %"),
            (-4.0, "-4.00 %"),
            (7.43, "+7.43 %"),
            (-0.5, "-0.500 %"),
            (227.08, "+227 %"),
            (1260.0, "+1,260 %"),
            (-99.95, "-99.95 %"),
            (-99.9999, "->99.9 %"),
            (0.0, "0 %"),
            (0.0123, "+0.0123 %"),
            (-0.012, "-0.0120 %"),
            (0.009_96, "+<0.01 %"),
            (-0.000_012, "-<0.01 %"),
            (12_600.0, "+12,600 %"),
            (126_040.0, "1,261x"),
            (9_999_800.0, "99,999x"),
            (1e15, ">99,999x"),
            (f64::INFINITY, "+∞ %"),
        ] {
            assert_eq!(percent_in_column(percentage), text);
        }
        for exponent in -12..15 {
            for digits in [1.0, 2.5, 3.456_789, 9.996_5, 9.999_9] {
                let number = digits * 10_f64.powi(exponent);
                for percentage in [number, -number.min(100.0), 1.0 / number - 100.0] {
                    let text = percent_in_column(percentage);
                    assert!(text.chars().count() <= PERCENT_WIDTH, "{percentage}: {text}");
                }
            }
        }
    }

    #[test]
    fn percentages_have_three_digits() {
        for (percentage, text) in [
            (0.0, "0 %"),
            (5.0, "+5 %"),
            (73.684_21, "+73.7 %"),
            (-8.737_86, "-8.74 %"),
            (1264.41, "+1,260 %"),
            (99.96, "+100 %"),
            (0.000_012_345, "+0.0000123 %"),
            (-100.0, "-100 %"),
            (-99.9995, "-99.9995 %"),
            (f64::INFINITY, "+∞ %"),
        ] {
            assert_eq!(percent(percentage), text);
        }
    }

    #[test]
    fn a_percentage_beyond_another_one_is_not_printed_as_it() {
        assert_eq!(percent_beyond(5.0004, 5.0), "+5.0004 %");
        assert_eq!(percent_beyond(73.684_21, 5.0), "+73.7 %");
        assert_eq!(percent_beyond(5.0, 5.0), "+5 %");
    }
}
