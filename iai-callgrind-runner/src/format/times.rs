//! The verdict of a time in words.

use iai_callgrind_summary::time::{Time, TimeVerdict};

use crate::time::text::digits;

/// Returns the words for the verdict of a comparison; `None` without another side.
pub(crate) fn time_verdict(time: &Time) -> Option<String> {
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
            format!("no difference beyond {:.*} %", digits(interval), beyond * 100.0)
        }
    };
    Some(words)
}
