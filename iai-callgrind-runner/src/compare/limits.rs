//! Limits and regressions.

use std::collections::BTreeMap;
use std::fmt;

use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_plan::{Limit, Percentage};

use super::Change;
use super::change::{SMALLEST_PERCENTAGE, percent};

/// The exit code of a run in which a benchmark exceeds a limit.
pub(crate) const REGRESSED: u8 = 3;

/// The limits of a benchmark's metrics. By default there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Limits {
    /// Largest change in percent of the old value; a negative one is a limit for improvements.
    soft: BTreeMap<MetricKind, f64>,
    /// Largest value.
    hard: BTreeMap<MetricKind, Value>,
}

/// A limit that was broken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Regression {
    pub(crate) kind: MetricKind,
    pub(crate) new: Value,
    pub(crate) limit: Broken,
}

/// The kind of a broken limit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Broken {
    Soft { old: Value, change: Change, limit: f64 },
    Hard { limit: Value },
}

impl Limits {
    /// Resolves a configuration. Of two limits of one kind for the same metric the last wins.
    pub(crate) fn resolve(configured: &[(MetricKind, Limit)]) -> Result<Self, String> {
        let mut limits = Self::default();
        for &(kind, limit) in configured {
            match limit {
                Limit::Soft { change } => {
                    limits.soft.insert(kind, soft(kind, change)?);
                }
                Limit::Count { value } => {
                    let value = if kind.is_rate() {
                        Value::Rate(value as f64)
                    } else {
                        Value::Count(value)
                    };
                    limits.hard.insert(kind, value);
                }
                Limit::Rate { value } => {
                    limits.hard.insert(kind, hard(kind, value.get())?);
                }
            }
        }
        Ok(limits)
    }

    /// Returns the metrics that have a limit.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = MetricKind> {
        self.soft.keys().chain(self.hard.keys()).copied()
    }

    /// Returns the soft limits, in percent.
    pub(crate) fn soft(&self) -> impl Iterator<Item = (MetricKind, f64)> {
        self.soft.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the hard limits.
    pub(crate) fn hard(&self) -> impl Iterator<Item = (MetricKind, Value)> {
        self.hard.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the limits that these results break, in the order of the metrics.
    pub(crate) fn check(&self, new: &Metrics, old: Option<&Metrics>) -> Vec<Regression> {
        let broken = |(kind, new): (MetricKind, Value)| {
            let soft = || {
                let (limit, old) = (*self.soft.get(&kind)?, old?.get(kind)?);
                let change = Change::between(Some(new), Some(old));
                let percentage = change.percentage()?;
                let breaks = if limit < 0.0 { percentage < limit } else { percentage > limit };
                breaks.then_some(Regression {
                    kind,
                    new,
                    limit: Broken::Soft { old, change, limit },
                })
            };
            let hard = || {
                let limit = *self.hard.get(&kind)?;
                (new > limit).then_some(Regression { kind, new, limit: Broken::Hard { limit } })
            };
            soft().into_iter().chain(hard())
        };
        new.lines().flat_map(broken).collect()
    }
}

/// Returns a soft limit, in percent.
fn soft(kind: MetricKind, change: Percentage) -> Result<f64, String> {
    Some(change.get()).filter(|number| number.is_finite()).ok_or_else(|| {
        format!("`{change}` is not a limit of {kind}\nhelp: use a finite percentage such as `5.0`")
    })
}

/// Returns a hard limit that was given as a number with a fraction. A count needs a whole one.
fn hard(kind: MetricKind, number: f64) -> Result<Value, String> {
    // The first number that is too large is 2^64
    let is_count = number.fract() == 0.0 && (0.0..u64::MAX as f64).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count")]
    let (is_valid, value, help) = if kind.is_rate() {
        let is_valid = number.is_finite() && number >= 0.0;
        (is_valid, Value::Rate(number), "use a number such as `99.5`")
    } else {
        (is_count, Value::Count(number as u64), "use a whole number")
    };
    let error = || format!("`{number}` is not a limit of {kind}\nhelp: {help}");
    is_valid.then_some(value).ok_or_else(error)
}

/// Writes `Instructions (152 -> 264) regressed by +73.6842% (>+5.00000%)`.
impl fmt::Display for Regression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, new, limit } = self;
        let label = kind.label();
        match limit {
            Broken::Soft { old, change, limit } => {
                let sign = if *limit < 0.0 { '<' } else { '>' };
                let limit = percent(*limit);
                let change = change.percentage_text();
                write!(formatter, "{label} ({old} -> {new}) regressed by {change} ({sign}{limit})")
            }
            Broken::Hard { limit } => {
                let by = match new.distance(*limit) {
                    // A difference is never printed as none, however small it is
                    Value::Rate(by) => Value::Rate(by.max(SMALLEST_PERCENTAGE)),
                    by @ Value::Count(_) => by,
                };
                write!(formatter, "{label} ({new}) exceeds its limit by {by} (>{limit})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use iai_callgrind_plan::metric::MetricKind::{D1MissRate, D1mr, D1mw, Dr, Dw, Ir};

    use super::*;

    fn metrics(ir: u64, dr: u64) -> Metrics {
        [(Ir, ir), (Dr, dr)].into_iter().collect()
    }

    fn soft(percentage: f64) -> Limit {
        Limit::Soft { change: percentage.into() }
    }

    fn hard(value: u64) -> Limit {
        Limit::Count { value }
    }

    fn regressions(limits: &[Limit], new: u64, old: Option<u64>) -> Vec<String> {
        let limits: Vec<_> = limits.iter().map(|limit| (Ir, *limit)).collect();
        let old = old.map(|old| metrics(old, 1));
        let broken = Limits::resolve(&limits).unwrap().check(&metrics(new, 1), old.as_ref());
        broken.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_soft_limit_is_a_percentage_of_the_old_value() {
        let expected = ["Instructions (152 -> 264) regressed by +73.6842% (>+5.00000%)"];
        assert_eq!(regressions(&[soft(5.0)], 264, Some(152)), expected);
        assert!(
            regressions(&[soft(5.0)], 105, Some(100)).is_empty(),
            "the limit itself is allowed"
        );
        assert!(regressions(&[soft(5.0)], 50, Some(100)).is_empty());
        assert!(regressions(&[soft(5.0)], 264, None).is_empty(), "nothing to compare with");
        assert_eq!(
            regressions(&[soft(0.0)], 1, Some(0)),
            ["Instructions (0 -> 1) regressed by +++inf+++ (>+0.00000%)"]
        );
    }

    #[test]
    fn a_negative_limit_is_for_improvements() {
        let expected = ["Instructions (100 -> 80) regressed by -20.0000% (<-10.0000%)"];
        assert_eq!(regressions(&[soft(-10.0)], 80, Some(100)), expected);
        assert!(regressions(&[soft(-10.0)], 95, Some(100)).is_empty());
        assert!(regressions(&[soft(-10.0)], 200, Some(100)).is_empty());
    }

    #[test]
    fn a_hard_limit_needs_no_old_value() {
        assert_eq!(
            regressions(&[hard(200)], 264, None),
            ["Instructions (264) exceeds its limit by 64 (>200)"]
        );
        assert!(regressions(&[hard(264)], 264, None).is_empty());
    }

    #[test]
    fn the_last_limit_of_a_kind_wins() {
        let limits = [soft(10.0), hard(500), soft(5.0), hard(200)];
        assert_eq!(regressions(&limits[..2], 264, Some(250)).len(), 0);
        assert_eq!(regressions(&limits, 264, Some(250)).len(), 2);
    }

    #[test]
    fn rates_have_limits_too() {
        let metrics = |misses| -> Metrics {
            [(Dr, 1000), (Dw, 0), (D1mr, misses), (D1mw, 0)].into_iter().collect()
        };
        let regressions = |hard: f64, new, old| -> Vec<String> {
            let hard = Limit::Rate { value: hard.into() };
            let limits = Limits::resolve(&[(D1MissRate, soft(20.0)), (D1MissRate, hard)]).unwrap();
            let broken = limits.check(&metrics(new), Some(&metrics(old)));
            broken.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            regressions(1.25, 13, 10),
            [
                "D1 Miss Rate (1.00000 -> 1.30000) regressed by +30.0000% (>+20.0000%)",
                "D1 Miss Rate (1.30000) exceeds its limit by 0.05000 (>1.25000)",
            ]
        );
        assert!(regressions(1.3, 13, 13).is_empty(), "the limit itself is allowed");
    }

    #[test]
    fn whole_numbers_suit_every_metric() {
        let rate = |number: f64| Limit::Rate { value: number.into() };
        let resolve =
            |kind, limit| Limits::resolve(&[(kind, limit)]).map(|limits| limits.hard[&kind]);
        assert_eq!(resolve(D1MissRate, hard(2)), Ok(Value::Rate(2.0)));
        assert_eq!(resolve(Ir, rate(10.0)), Ok(Value::Count(10)));
        for number in [5.5, -1.0, f64::NAN, 1e30] {
            let expected = format!("`{number}` is not a limit of Ir\nhelp: use a whole number");
            assert_eq!(resolve(Ir, rate(number)), Err(expected));
        }
        for number in [-1.0, f64::INFINITY] {
            let help = "help: use a number such as `99.5`";
            let expected = format!("`{number}` is not a limit of D1MissRate\n{help}");
            assert_eq!(resolve(D1MissRate, rate(number)), Err(expected));
        }
    }

    #[test]
    fn a_percentage_is_finite() {
        let error = Limits::resolve(&[(Ir, soft(f64::NAN))]).unwrap_err();
        let expected = "`NaN%` is not a limit of Ir\nhelp: use a finite percentage such as `5.0`";
        assert_eq!(error, expected);
    }
}
