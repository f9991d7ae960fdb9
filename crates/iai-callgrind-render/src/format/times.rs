//! The verdict of a time in words.

use iai_callgrind_summary::time::{Time, TimeVerdict};
use iai_callgrind_timing::smallest_difference;
use iai_callgrind_timing::text::digits;

/// Returns the words for the verdict of a comparison; `None` without another side.
pub fn time_verdict(time: &Time) -> Option<String> {
    if let Some(limit) = time.exceeded_limit {
        return Some(format!("slower than the limit of {limit} %"));
    }
    let words = match time.verdict? {
        TimeVerdict::Slower => "slower".to_owned(),
        TimeVerdict::Faster => "faster".to_owned(),
        TimeVerdict::Chance => "not clear among so many benchmarks".to_owned(),
        TimeVerdict::TooFewProcesses => "more time needed: --time-budget".to_owned(),
        TimeVerdict::NoDifference => {
            let ratio = &time.ratio.as_ref()?.wall;
            let interval = ratio.low.zip(ratio.high);
            let beyond = interval.map_or(0.0, |(low, high)| (high - 1.0).max(1.0 - low));
            let percentage = beyond.max(smallest_difference(time.old.as_ref()?.wall.value)) * 100.0;
            format!("no difference beyond {} %", rounded_up(percentage, digits(interval)))
        }
    };
    Some(words)
}

/// Formats a number with these digits after the point, which is not less than it.
fn rounded_up(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    let step = if digits == 1 { 0.1 } else { 0.01 };
    match text.parse::<f64>() {
        // A billionth is an error of the arithmetic
        Ok(shown) if shown < number - 1e-9 => format!("{:.digits$}", shown + step),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_beyond_is_never_less_than_it_can_be() {
        let texts = [(0.2, 1), (0.249, 1), (0.251, 1), (9.96, 1), (0.1, 2), (0.1234, 2)]
            .map(|(number, digits)| rounded_up(number, digits));
        assert_eq!(texts, ["0.2", "0.3", "0.3", "10.0", "0.10", "0.13"]);
    }
}
