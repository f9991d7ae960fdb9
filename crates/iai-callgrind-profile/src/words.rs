//! Words and numbers in the lines of a profile.

use iai_callgrind_plan::metric::{MetricKind, Metrics};

pub(crate) use crate::lines::quote;
use crate::malformed::Malformed;

/// Splits a line into its words.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    text.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty())
}

/// Parses a decimal number without a sign.
pub(crate) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Parses the events of an `events:` line.
pub(crate) fn events(value: &[u8]) -> Result<Vec<MetricKind>, Malformed> {
    let mut kinds = Vec::new();
    for word in words(value) {
        let name = String::from_utf8_lossy(word);
        let kind = MetricKind::event(&name).ok_or_else(|| Malformed::UnknownEvent(quote(word)))?;
        if kinds.contains(&kind) {
            return Err(Malformed::RepeatedEvent(quote(word)));
        }
        kinds.push(kind);
    }
    if kinds.is_empty() { Err(Malformed::NoEvent) } else { Ok(kinds) }
}

/// Parses the counts of a `totals:` or `summary:` line. Callgrind omits zeros at the end.
pub(crate) fn costs(value: &[u8], events: &[MetricKind]) -> Result<Metrics, Malformed> {
    let numbers = words(value)
        .map(|word| number(word).ok_or_else(|| Malformed::NotACount(quote(word))))
        .collect::<Result<Vec<_>, _>>()?;
    match numbers.len() {
        0 => Err(Malformed::NoCount),
        many if many > events.len() => {
            Err(Malformed::TooManyCounts { counts: many, events: events.len() })
        }
        _ => Ok(events
            .iter()
            .copied()
            .zip(numbers.into_iter().chain(std::iter::repeat(0)))
            .collect()),
    }
}

/// Formats values as callgrind writes them, with the zeros at the end.
pub(crate) fn counts(metrics: &Metrics) -> String {
    metrics.events().map(|(_, value)| value.to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{Dr, Ir};

    use super::*;

    #[test]
    fn zeros_at_the_end_are_left_out() {
        assert_eq!(costs(b"5", &[Ir, Dr]), Ok([(Ir, 5), (Dr, 0)].into_iter().collect()));
    }

    #[test]
    fn wrong_counts() {
        for wrong in [&b"+5"[..], b"-5", b"5 x", b"1.5", b"18446744073709551616", b"", b"1 2 3"] {
            assert!(costs(wrong, &[Ir, Dr]).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn wrong_events() {
        assert_eq!(events(b"Ir Nonsense"), Err(Malformed::UnknownEvent("`Nonsense`".to_owned())));
        assert_eq!(events(b"Ir Ir"), Err(Malformed::RepeatedEvent("`Ir`".to_owned())));
        assert!(events(b" ").is_err());
    }
}
