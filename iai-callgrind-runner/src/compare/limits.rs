//! Limits, and what breaks them.

use std::collections::BTreeMap;
use std::fmt;

use iai_callgrind_plan::metric::{EventKind, MetricSet, Metrics, Value};

use super::Change;
use super::change::{SMALLEST_PERCENTAGE, percent};

/// By how much a metric may change, and how large it may be. There are none that nobody set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Limits {
    /// In percent of the old value; a negative one is a limit for improvements.
    soft: BTreeMap<EventKind, f64>,
    /// The largest value.
    hard: BTreeMap<EventKind, Value>,
}

/// A limit that was broken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Regression {
    pub(crate) kind: EventKind,
    pub(crate) new: Value,
    pub(crate) limit: Broken,
}

/// Which of a metric's limits was broken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Broken {
    Soft { old: Value, change: Change, limit: f64 },
    Hard { limit: Value },
}

impl Limits {
    /// Reads limits as the command line has them: `ir=5%|10000,@all=10%`. A number with `%` is a soft
    /// limit, a bare one a hard limit, and of two for the same metric the last one wins.
    pub(crate) fn parse(text: &str, set: &MetricSet) -> Result<Self, String> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim) {
            let (kinds, values) = split(part, set)?;
            for value in values.split('|').map(str::trim) {
                limits.set(&kinds, value)?;
            }
        }
        Ok(limits)
    }

    /// Limits in the older spelling, in which each number is a percentage (`ir=5,dr=10`), as
    /// [`Self::parse`] reads them.
    pub(crate) fn from_percentages(text: &str, set: &MetricSet) -> Result<String, String> {
        let with_sign = |part: &str| part.trim().trim_end_matches('%').to_owned() + "%";
        let limits = text.split(',').map(with_sign).collect::<Vec<_>>().join(",");
        Self::parse(&limits, set).map(|_| limits)
    }

    /// The metrics that have a limit.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = EventKind> {
        self.soft.keys().chain(self.hard.keys()).copied()
    }

    /// The soft limits, in percent.
    pub(crate) fn soft(&self) -> impl Iterator<Item = (EventKind, f64)> {
        self.soft.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// The hard limits.
    pub(crate) fn hard(&self) -> impl Iterator<Item = (EventKind, Value)> {
        self.hard.iter().map(|(kind, limit)| (*kind, *limit))
    }

    fn set(&mut self, kinds: &[EventKind], value: &str) -> Result<(), String> {
        if let Some(percent) = value.strip_suffix('%') {
            let percent = percent.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let percent = percent.ok_or_else(|| format!("`{value}` is not a percentage"))?;
            self.soft.extend(kinds.iter().map(|kind| (*kind, percent)));
        } else {
            for kind in kinds {
                self.hard.insert(*kind, largest(*kind, value)?);
            }
        }
        Ok(())
    }

    /// The limits that these results break, in the order of the metrics.
    pub(crate) fn check(&self, new: &Metrics, old: Option<&Metrics>) -> Vec<Regression> {
        let broken = |(kind, new): (EventKind, Value)| {
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

/// The metrics and the value of `name=value`.
fn split<'a>(part: &'a str, set: &MetricSet) -> Result<(Vec<EventKind>, &'a str), String> {
    let Some((name, value)) = part.split_once('=') else {
        return Err(format!("`{part}` is no limit: write `ir=5%`, `ir=10000` or `ir=5%|10000`"));
    };
    Ok((set.named(name.trim())?, value))
}

/// A hard limit: a whole number for a count, for a rate also one with a fraction.
fn largest(kind: EventKind, value: &str) -> Result<Value, String> {
    let (number, example) = if kind.is_rate() {
        let rate = value.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate >= 0.0);
        (rate.map(Value::Rate), "a number like `99.5`")
    } else {
        (value.parse().ok().map(Value::Count), "a whole number")
    };
    number.ok_or_else(|| {
        format!("`{value}` is no limit of {kind}: write a percentage like `5%`, or {example}")
    })
}

/// `Instructions (152 -> 264) regressed by +73.6842% (>+5.00000%)`
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
    use iai_callgrind_plan::metric::CALLGRIND;
    use iai_callgrind_plan::metric::EventKind::{Bc, D1MissRate, D1mr, D1mw, Dr, Dw, Ir};

    use super::*;

    fn metrics(ir: u64, dr: u64) -> Metrics {
        [(Ir, ir), (Dr, dr)].into_iter().collect()
    }

    fn parse(limits: &str) -> Result<Limits, String> {
        Limits::parse(limits, &CALLGRIND)
    }

    fn told(limits: &str, new: u64, old: Option<u64>) -> Vec<String> {
        let limits = parse(limits).unwrap();
        let old = old.map(|old| metrics(old, 1));
        let regressions = limits.check(&metrics(new, 1), old.as_ref());
        regressions.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_soft_limit_is_a_percentage_of_the_old_value() {
        let expected = ["Instructions (152 -> 264) regressed by +73.6842% (>+5.00000%)"];
        assert_eq!(told("ir=5%", 264, Some(152)), expected);
        assert!(told("ir=5%", 105, Some(100)).is_empty(), "the limit itself is allowed");
        assert!(told("ir=5%", 50, Some(100)).is_empty());
        assert!(told("ir=5%", 264, None).is_empty(), "nothing to compare with");
        assert_eq!(
            told("ir=0%", 1, Some(0)),
            ["Instructions (0 -> 1) regressed by +++inf+++ (>+0.00000%)"]
        );
    }

    #[test]
    fn a_negative_limit_is_for_improvements() {
        let expected = ["Instructions (100 -> 80) regressed by -20.0000% (<-10.0000%)"];
        assert_eq!(told("ir=-10%", 80, Some(100)), expected);
        assert!(told("ir=-10%", 95, Some(100)).is_empty());
        assert!(told("ir=-10%", 200, Some(100)).is_empty());
    }

    #[test]
    fn a_hard_limit_needs_no_old_value() {
        assert_eq!(
            told("Ir=200", 264, None),
            ["Instructions (264) exceeds its limit by 64 (>200)"]
        );
        assert!(told("Ir=264", 264, None).is_empty());
    }

    #[test]
    fn several_limits_and_groups() {
        assert_eq!(told("IR = 5% | 200, @all=10%", 264, Some(250)).len(), 1);
        assert_eq!(told("@all=10%,ir=5%|200", 264, Some(250)).len(), 2);
        assert_eq!(parse("@branchsim=1%").unwrap().soft.get(&Bc), Some(&1.0));
    }

    #[test]
    fn rates_have_limits_too() {
        let metrics = |misses| -> Metrics {
            [(Dr, 1000), (Dw, 0), (D1mr, misses), (D1mw, 0)].into_iter().collect()
        };
        let told = |limits: &str, new, old| -> Vec<String> {
            let regressions = parse(limits).unwrap().check(&metrics(new), Some(&metrics(old)));
            regressions.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            told("@mr=50%|1.25,d1missrate=20%", 13, 10),
            [
                "D1 Miss Rate (1.00000 -> 1.30000) regressed by +30.0000% (>+20.0000%)",
                "D1 Miss Rate (1.30000) exceeds its limit by 0.05000 (>1.25000)",
            ]
        );
        assert!(told("@mr=50%|1.3", 13, 10).is_empty(), "the limit itself is allowed");
        assert_eq!(parse("d1missrate=2").unwrap().hard[&D1MissRate], Value::Rate(2.0));
    }

    #[test]
    fn the_older_spelling_has_percentages_only() {
        let limits = Limits::from_percentages("ir=5, @branchsim=0.5%", &CALLGRIND);
        assert_eq!(limits.as_deref(), Ok("ir=5%,@branchsim=0.5%"));
        assert!(Limits::from_percentages("ir", &CALLGRIND).is_err());
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (wrong, part) in [
            ("", "`` is no limit"),
            ("ir", "write `ir=5%`"),
            ("ir=", "a whole number"),
            ("ir=5.5", "a percentage like `5%`"),
            ("ir=x%", "not a percentage"),
            ("ir=nan%", "not a percentage"),
            (
                "l1hitrate=x",
                "`x` is no limit of L1HitRate: write a percentage like `5%`, or a number",
            ),
            ("l1hitrate=nan", "a number like `99.5`"),
            ("l1hitrate=-1", "a number like `99.5`"),
            ("@all=99.5", "`99.5` is no limit of Ir"),
            ("cycles=5%", "no metric `cycles`: take one of Ir"),
            ("@hits=5%", "no group `@hits` of metrics: take one of @all"),
        ] {
            let message = parse(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }
}
