//! Limits, and what breaks them.

use std::collections::BTreeMap;
use std::fmt;

use super::Change;
use super::change::percent;
use crate::metric::{EventKind, Metrics, group, group_names};

/// By how much a metric may change, and how large it may be. There are none that nobody set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Limits {
    /// In percent of the old value; a negative one is a limit for improvements.
    soft: BTreeMap<EventKind, f64>,
    /// The largest value.
    hard: BTreeMap<EventKind, u64>,
}

/// A limit that was broken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Regression {
    kind: EventKind,
    new: u64,
    limit: Broken,
}

#[derive(Debug, Clone, PartialEq)]
enum Broken {
    Soft { old: u64, change: Change, limit: f64 },
    Hard { limit: u64 },
}

impl Limits {
    /// Reads limits as the command line has them: `ir=5%|10000,@all=10%`. A number with `%` is a soft
    /// limit, a bare one a hard limit, and of two for the same metric the last one wins.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        for part in text.split(',').map(str::trim) {
            let (kinds, values) = split(part)?;
            for value in values.split('|').map(str::trim) {
                limits.set(&kinds, value)?;
            }
        }
        Ok(limits)
    }

    /// Limits in the older spelling, in which each number is a percentage (`ir=5,dr=10`), as
    /// [`Self::parse`] reads them.
    pub(crate) fn from_percentages(text: &str) -> Result<String, String> {
        let with_sign = |part: &str| part.trim().trim_end_matches('%').to_owned() + "%";
        let limits = text.split(',').map(with_sign).collect::<Vec<_>>().join(",");
        Self::parse(&limits).map(|_| limits)
    }

    fn set(&mut self, kinds: &[EventKind], value: &str) -> Result<(), String> {
        if let Some(percent) = value.strip_suffix('%') {
            let percent = percent.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let percent = percent.ok_or_else(|| format!("`{value}` is not a percentage"))?;
            self.soft.extend(kinds.iter().map(|kind| (*kind, percent)));
        } else {
            let largest = value.parse::<u64>().map_err(|_| {
                format!("`{value}` is no limit: write a percentage like `5%`, or a whole number")
            })?;
            self.hard.extend(kinds.iter().map(|kind| (*kind, largest)));
        }
        Ok(())
    }

    /// The limits that these results break, in the order of the metrics.
    pub(crate) fn check(&self, new: &Metrics, old: Option<&Metrics>) -> Vec<Regression> {
        let broken = |(kind, new): (EventKind, u64)| {
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
fn split(part: &str) -> Result<(Vec<EventKind>, &str), String> {
    let Some((name, value)) = part.split_once('=') else {
        return Err(format!("`{part}` is no limit: write `ir=5%`, `ir=10000` or `ir=5%|10000`"));
    };
    Ok((kinds(name.trim())?, value))
}

/// The metrics that a name or, with an `@` before it, the name of a group stands for.
fn kinds(name: &str) -> Result<Vec<EventKind>, String> {
    if let Some(name) = name.strip_prefix('@') {
        return group(name).map(<[_]>::to_vec).ok_or_else(|| {
            let known: Vec<_> = group_names().map(|name| format!("@{name}")).collect();
            format!("there is no group `@{name}` of metrics: take one of {}", known.join(", "))
        });
    }
    let found = EventKind::ALL.iter().find(|kind| kind.name().eq_ignore_ascii_case(name));
    found.map(|kind| vec![*kind]).ok_or_else(|| {
        let known: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("there is no metric `{name}`: take one of {}", known.join(", "))
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
                write!(formatter, "{label} ({new}) exceeds its limit by {} (>{limit})", new - limit)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::EventKind::{Bc, Dr, Ir};

    fn metrics(ir: u64, dr: u64) -> Metrics {
        [(Ir, ir), (Dr, dr)].into_iter().collect()
    }

    fn told(limits: &str, new: u64, old: Option<u64>) -> Vec<String> {
        let limits = Limits::parse(limits).unwrap();
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
        assert_eq!(Limits::parse("@branchsim=1%").unwrap().soft.get(&Bc), Some(&1.0));
    }

    #[test]
    fn the_older_spelling_has_percentages_only() {
        let limits = Limits::from_percentages("ir=5, @branchsim=0.5%");
        assert_eq!(limits.as_deref(), Ok("ir=5%,@branchsim=0.5%"));
        assert!(Limits::from_percentages("ir").is_err());
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
            ("cycles=5%", "no metric `cycles`: take one of Ir"),
            ("@hits=5%", "no group `@hits` of metrics: take one of @all"),
        ] {
            let message = Limits::parse(wrong).unwrap_err();
            assert!(message.contains(part), "{wrong}: {message}");
        }
    }
}
