//! The labels of an axis, and places on it.

use crate::numbers;

/// Number of labels that an axis has at least, if its values are not whole numbers next to each other.
const LEAST: f64 = 3.0;

/// Returns a place in percent of the length of the axis.
pub(super) fn percent(place: f64) -> String {
    format!("{place:.2}%")
}

/// Returns round numbers between two values with their texts.
pub(super) fn ticks(low: f64, high: f64) -> Vec<(String, f64)> {
    let raw = (high - low) / LEAST;
    let power = 10_f64.powf(raw.log10().floor());
    let step = [5.0, 2.0, 1.0].into_iter().map(|digit| digit * power).find(|step| *step <= raw);
    // Counts are whole numbers
    let step = step.unwrap_or(power).max(1.0);
    let first = (low / step).ceil();
    let number = ((high / step).floor() - first).max(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let number = number as usize;
    (0..=number)
        .map(|index| (first + index as f64) * step)
        .map(|value| (text(value), value))
        .collect()
}

/// Returns a number with separators, large ones in short.
fn text(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number")]
    let count = value.max(0.0) as u64;
    for (unit, letter) in [(1_000_000_000, "G"), (1_000_000, "M")] {
        if count >= 10 * unit && count % (unit / 1000) == 0 {
            let text = format!("{:.3}", value / unit as f64);
            return format!("{} {letter}", text.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    numbers::grouped(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_round_numbers() {
        let texts =
            |low, high| ticks(low, high).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            texts(160_900.0, 161_030.0),
            ["160,900", "160,920", "160,940", "160,960", "160,980", "161,000", "161,020"]
        );
        assert_eq!(texts(6.5, 7.5), ["7"], "counts are whole numbers");
        assert_eq!(texts(0.0, 45_500_000.0)[1..3], ["10 M", "20 M"]);
    }
}
