//! The axis of a chart: places of values, and round numbers with their texts.

use iai_callgrind_base::numbers;

/// Minimum number of labels of an axis, unless its values are adjacent whole numbers.
const LEAST: f64 = 3.0;

/// Number of labels above the maximum of any axis: a count has 20 digits.
const MOST: u8 = 32;

/// An axis with a label from this number on has short labels.
const SHORT: f64 = 1e7;

/// Returns a part of a length in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.2}%", part * 100.0)
}

/// The values between the two ends of an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_logarithmic: bool,
}

impl Axis {
    pub(super) fn linear(low: f64, high: f64) -> Self {
        Self { low, high, is_logarithmic: false }
    }

    /// Returns an axis of positive values.
    pub(super) fn logarithmic(low: f64, high: f64) -> Self {
        Self { low, high, is_logarithmic: true }
    }

    /// Returns the place of a value as a part of the length.
    pub(super) fn place(&self, value: f64) -> f64 {
        let Self { low, high, is_logarithmic } = *self;
        if is_logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    /// Returns the value at a place.
    pub(super) fn value(&self, place: f64) -> f64 {
        let Self { low, high, is_logarithmic } = *self;
        if is_logarithmic { low * (high / low).powf(place) } else { low + (high - low) * place }
    }

    /// Returns round numbers as texts with their places.
    pub(super) fn labels(&self) -> Vec<(String, f64)> {
        let powers = if self.is_logarithmic { self.powers() } else { Vec::new() };
        let values = if powers.len() < 2 { self.multiples() } else { powers };
        let is_short = values.iter().any(|value| *value >= SHORT);
        let text = |value: f64| if is_short { short_text(value) } else { full_text(value) };
        values.into_iter().map(|value| (text(value), self.place(value))).collect()
    }

    /// Returns the multiples of a round step.
    fn multiples(&self) -> Vec<f64> {
        let Self { low, high, .. } = *self;
        let raw = (high - low) / LEAST;
        let power = 10_f64.powf(raw.log10().floor());
        let step = [5.0, 2.0, 1.0].into_iter().map(|digit| digit * power).find(|step| *step <= raw);
        // Counts are whole numbers
        let least = if high < 1.0 { 0.0 } else { 1.0 };
        let step = step.unwrap_or(power).max(least);
        let first = (low / step).ceil();
        (0..MOST)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= high)
            .collect()
    }

    /// Returns powers of ten, with multiples if there are few.
    fn powers(&self) -> Vec<f64> {
        let Self { low, high, .. } = *self;
        let digits: &[f64] =
            if high / low < 10_f64.powf(LEAST) { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = low.log10().floor();
        (0..MOST)
            .map(|index| 10_f64.powf(first + f64::from(index)))
            .take_while(|power| *power <= high)
            .flat_map(|power| digits.iter().map(move |digit| digit * power))
            .filter(|value| (low..=high).contains(value))
            .collect()
    }
}

/// Returns a number in short from a million on: `8 M`.
fn short_text(value: f64) -> String {
    for (unit, letter) in [(1e9, "G"), (1e6, "M")] {
        // Thousandths at most
        if value >= unit && (value / unit * 1000.0).fract() == 0.0 {
            let text = format!("{:.3}", value / unit);
            return format!("{} {letter}", text.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    full_text(value)
}

/// Returns a number with separators.
fn full_text(value: f64) -> String {
    if value < 1.0 {
        return format!("{:.6}", value.max(0.0)).trim_end_matches('0').trim_end_matches('.').into();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
    let count = value.round() as u64;
    numbers::grouped(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: Axis) -> Vec<String> {
        axis.labels().into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn labels_are_round_numbers() {
        let linear = |low, high| texts(Axis::linear(low, high));
        assert_eq!(linear(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            linear(160_900.0, 161_030.0),
            ["160,900", "160,920", "160,940", "160,960", "160,980", "161,000", "161,020"]
        );
        assert_eq!(linear(6.5, 7.5), ["7"], "counts are whole numbers");
        assert_eq!(linear(0.0, 0.35), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(linear(0.0, 45_500_000.0)[1..3], ["10 M", "20 M"]);
        assert_eq!(
            linear(0.0, 12_400_000.0),
            ["0", "2 M", "4 M", "6 M", "8 M", "10 M", "12 M"],
            "one unit on an axis"
        );
        assert_eq!(linear(0.0, 9_900_000.0)[1], "2,000,000");
        let logarithmic = |low, high| texts(Axis::logarithmic(low, high));
        assert_eq!(logarithmic(6.8, 1280.0), ["10", "20", "50", "100", "200", "500", "1,000"]);
        assert_eq!(logarithmic(6.8, 40_000_000.0)[..3], ["10", "100", "1,000"]);
        assert_eq!(logarithmic(204_000.0, 392_000.0), ["250,000", "300,000", "350,000"]);
    }

    #[test]
    fn a_place_has_its_value() {
        for axis in [Axis::linear(5.0, 25.0), Axis::logarithmic(5.0, 25.0)] {
            for place in [0.0, 0.3, 1.0] {
                assert!((axis.place(axis.value(place)) - place).abs() < 1e-9);
            }
        }
    }
}
