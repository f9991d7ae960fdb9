//! Times and their ratios as text.

use iai_callgrind_base::numbers;

/// Number of nanoseconds in each unit.
const UNITS: [(&str, f64); 4] = [("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];

/// The ends of an interval, if there is one.
type Interval = Option<(f64, f64)>;

/// Formats a time in nanoseconds with four digits.
pub fn duration(time: f64) -> String {
    let (unit, size) = unit(time);
    format!("{} {unit}", four_digits(time / size))
}

/// Formats the interval of this time in nanoseconds.
pub fn duration_interval(time: f64, interval: Interval) -> String {
    let Some((low, high)) = interval else { return "[too few processes]".to_owned() };
    let (unit, size) = unit(time);
    format!("[{}, {}] {unit}", four_digits(low / size), four_digits(high / size))
}

/// Formats the difference of a ratio from one, with as many digits as its interval has.
pub fn change(ratio: f64, interval: Interval) -> String {
    format!("{} %", percentage(ratio, digits(interval)))
}

/// Formats the number of observations, or the range of it: `1 process`, `6 to 8 processes`.
pub fn observations(number: &str, one: &str, several: &str) -> String {
    format!("{number} {}", if number == "1" { one } else { several })
}

/// Formats the interval of a ratio as differences from one.
pub fn change_interval(interval: Interval) -> String {
    let Some((low, high)) = interval else { return "[too few pairs]".to_owned() };
    let digits = digits(interval);
    format!("[{}, {}]", percentage(low, digits), percentage(high, digits))
}

/// Returns the number of digits after the point of percentages with this interval.
pub fn digits(interval: Interval) -> usize {
    let width = interval.map_or(1.0, |(low, high)| high - low);
    if width < 0.002 { 2 } else { 1 }
}

fn percentage(ratio: f64, digits: usize) -> String {
    numbers::fixed((ratio - 1.0) * 100.0, digits)
}

fn unit(time: f64) -> (&'static str, f64) {
    let time = rounded(time);
    let found = UNITS.into_iter().find(|(_, size)| time >= *size);
    found.unwrap_or(UNITS[UNITS.len() - 1])
}

/// Rounds a number to four digits, which can have one more before the point.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn four_digits(number: f64) -> String {
    match rounded(number) {
        ..10.0 => format!("{number:.3}"),
        ..100.0 => format!("{number:.2}"),
        ..1000.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_four_digits_and_the_unit_that_fits() {
        let texts = [0.5, 1.0, 9.9999, 12.345, 999.96, 12_345.6, 1e6, 2.5e9, 1.5e12].map(duration);
        let expected = [
            "0.500 ns",
            "1.000 ns",
            "10.00 ns",
            "12.35 ns",
            "1.000 µs",
            "12.35 µs",
            "1.000 ms",
            "2.500 s",
            "1500 s",
        ];
        assert_eq!(texts, expected);
        assert_eq!(duration_interval(1500.0, Some((999.96, 12_000.0))), "[1.000, 12.00] µs");
    }

    #[test]
    fn a_change_has_the_digits_of_its_interval() {
        let wide = Some((0.98, 1.05));
        assert_eq!(
            (change(1.0312, wide), change_interval(wide)),
            ("+3.1 %".into(), "[-2.0, +5.0]".into())
        );
        let narrow = Some((1.0201, 1.0203));
        assert_eq!(change(1.0202, narrow), "+2.02 %");
        assert_eq!(change_interval(narrow), "[+2.01, +2.03]");
        assert_eq!(change_interval(None), "[too few pairs]");
        let slow = Some((11.8, 12.5));
        let text = (change(11.867, slow), change_interval(slow));
        assert_eq!(text, ("+1,086.7 %".into(), "[+1,080.0, +1,150.0]".into()));
    }
}
