//! Limits and regressions.

use std::collections::BTreeMap;
use std::fmt;

use iai_callgrind_base::numbers;
use iai_callgrind_growth::{Class, Fit, FitChange, NoFit, factor_text};
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_plan::{Complexity, Limit, Percentage};

use super::{Change, Noise, Observations};

/// A reason why a limit can't be used.
#[derive(Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum LimitError {
    #[error("`{change}` is not a limit of {kind}\nhelp: use a finite percentage such as `5.0`")]
    SoftLimit { kind: MetricKind, change: Percentage },
    #[error("`{number}` is not a limit of {kind}\nhelp: use a whole number")]
    CountLimit { kind: MetricKind, number: f64 },
    #[error("`{number}` is not a limit of {kind}\nhelp: use a number such as `99.5`")]
    RateLimit { kind: MetricKind, number: f64 },
}

/// The limits of a benchmark's metrics. By default there are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Largest change in percent of the old value; a negative one limits improvements.
    soft: BTreeMap<MetricKind, f64>,
    /// Largest value.
    hard: BTreeMap<MetricKind, Value>,
    /// Largest change by the benchmark's noise, for metrics without other limits.
    learned: BTreeMap<MetricKind, LearnedLimit>,
    /// Worst class of the growth with the input size.
    complexity: BTreeMap<MetricKind, Complexity>,
    /// Largest change of the cost per element in percent of the old one.
    per_element: BTreeMap<MetricKind, f64>,
}

/// A limit that was learned from the noise of the benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedLimit {
    /// Largest change in percent of the old value.
    pub percentage: f64,
    /// The observations that it was learned from.
    pub observations: Observations,
}

/// A limit that was broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The metric.
    pub kind: MetricKind,
    /// The limit, with the values that break it.
    pub limit: Broken,
}

/// The kind of a broken limit, with the new and the old value.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "`new` and `old` are values, and `limit` is what they break")]
pub enum Broken {
    Soft {
        new: Value,
        old: Value,
        change: Change,
        limit: f64,
    },
    Learned {
        new: Value,
        old: Value,
        change: Change,
        limit: LearnedLimit,
    },
    Hard {
        new: Value,
        limit: Value,
    },
    Complexity {
        new: Class,
        limit: Complexity,
    },
    /// The class is not known, so the limit cannot be checked.
    UnknownComplexity {
        reason: NoFit,
        limit: Complexity,
    },
    /// The cost per element has a limit, and the class became worse.
    WorseClass {
        new: Class,
        old: Class,
        limit: f64,
    },
    PerElement {
        new: f64,
        old: f64,
        percentage: f64,
        limit: f64,
    },
}

impl Limits {
    /// Resolves a configuration. The last of several limits of one kind for a metric wins.
    pub fn resolve(configured: &[(MetricKind, Limit)]) -> Result<Self, LimitError> {
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

    /// Adds limits of the growth with the input size.
    pub fn with_growth(
        mut self,
        complexity: impl Iterator<Item = (MetricKind, Complexity)>,
        per_element: impl Iterator<Item = (MetricKind, Percentage)>,
    ) -> Result<Self, LimitError> {
        self.complexity.extend(complexity);
        for (kind, change) in per_element {
            self.per_element.insert(kind, soft(kind, change)?);
        }
        Ok(self)
    }

    /// Adds limits, which replace those of the same kind for the same metric.
    pub fn extend(&mut self, other: Self) {
        self.soft.extend(other.soft);
        self.hard.extend(other.hard);
    }

    /// Adds limits of these metrics from their noise. The user's limits take precedence.
    pub fn learn(&mut self, noise: &Noise, kinds: &[MetricKind]) {
        let observations = noise.observations;
        for kind in kinds {
            let is_set = self.soft.contains_key(kind) || self.hard.contains_key(kind);
            if let Some(percentage) = noise.limit(*kind).filter(|_| !is_set) {
                self.learned.insert(*kind, LearnedLimit { percentage, observations });
            }
        }
    }

    /// Returns the metrics that the user limits.
    pub fn kinds(&self) -> impl Iterator<Item = MetricKind> {
        self.soft.keys().chain(self.hard.keys()).chain(self.growth_kinds()).copied()
    }

    /// Returns `true` if the growth of a metric has a limit.
    pub fn limits_growth_of(&self, kind: MetricKind) -> bool {
        self.growth_kinds().any(|limited| *limited == kind)
    }

    fn growth_kinds(&self) -> impl Iterator<Item = &MetricKind> {
        self.complexity.keys().chain(self.per_element.keys())
    }

    /// Returns the soft limits, in percent.
    pub fn soft(&self) -> impl Iterator<Item = (MetricKind, f64)> {
        self.soft.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the learned limits.
    pub fn learned(&self) -> impl Iterator<Item = (MetricKind, LearnedLimit)> {
        self.learned.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the hard limits.
    pub fn hard(&self) -> impl Iterator<Item = (MetricKind, Value)> {
        self.hard.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the limits of classes.
    pub fn complexity(&self) -> impl Iterator<Item = (MetricKind, Complexity)> {
        self.complexity.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the limits of the cost per element, in percent.
    pub fn per_element(&self) -> impl Iterator<Item = (MetricKind, f64)> {
        self.per_element.iter().map(|(kind, limit)| (*kind, *limit))
    }

    /// Returns the limits that the growth of a metric breaks.
    pub fn check_growth(
        &self,
        kind: MetricKind,
        new: &Result<Fit, NoFit>,
        change: Option<&FitChange>,
    ) -> Vec<Regression> {
        let class = self.complexity.get(&kind).and_then(|&limit| match new {
            Ok(fit) => {
                let new = fit.formula.class;
                fit.exceeds(limit).then_some(Broken::Complexity { new, limit })
            }
            Err(reason @ NoFit::NoClass { .. }) => {
                Some(Broken::UnknownComplexity { reason: reason.clone(), limit })
            }
            // The limit of a group or a file can apply to curves of a few sizes
            Err(_) => None,
        });
        let per_element = self.per_element.get(&kind).and_then(|&limit| match change? {
            // The cost per element grows without bound
            FitChange::Class { old, new, is_certain } => {
                let broken = Broken::WorseClass { new: *new, old: *old, limit };
                (*is_certain && new.compare(*old).is_gt()).then_some(broken)
            }
            same_class @ FitChange::Factors { .. } => {
                let factor = same_class.leading()?;
                let percentage = factor.percentage();
                let (new, old) = (factor.new, factor.old);
                let broken = Broken::PerElement { new, old, percentage, limit };
                exceeds(percentage, limit).then_some(broken)
            }
        });
        let broken = class.into_iter().chain(per_element);
        broken.map(|limit| Regression { kind, limit }).collect()
    }

    /// Returns the limits that these results break, in the order of the metrics.
    pub fn check(&self, new: &Metrics, old: Option<&Metrics>) -> Vec<Regression> {
        let broken = |(kind, new): (MetricKind, Value)| {
            let soft = || {
                let (limit, old) = (*self.soft.get(&kind)?, old?.get(kind)?);
                let change = Change::between(Some(new), Some(old));
                let percentage = change.percentage()?;
                exceeds(percentage, limit)
                    .then_some(Regression { kind, limit: Broken::Soft { new, old, change, limit } })
            };
            let learned = || {
                let (limit, old) = (*self.learned.get(&kind)?, old?.get(kind)?);
                let change = Change::between(Some(new), Some(old));
                let broken = Broken::Learned { new, old, change, limit };
                exceeds(change.percentage()?, limit.percentage)
                    .then_some(Regression { kind, limit: broken })
            };
            let hard = || {
                let limit = *self.hard.get(&kind)?;
                (new > limit).then_some(Regression { kind, limit: Broken::Hard { new, limit } })
            };
            soft().into_iter().chain(learned()).chain(hard())
        };
        new.lines().flat_map(broken).collect()
    }
}

/// Returns `true` if a change exceeds a limit, both in percent. A negative limit limits
/// improvements.
fn exceeds(percentage: f64, limit: f64) -> bool {
    if limit < 0.0 { percentage < limit } else { percentage > limit }
}

/// Returns a soft limit, in percent.
fn soft(kind: MetricKind, change: Percentage) -> Result<f64, LimitError> {
    let finite = Some(change.get()).filter(|number| number.is_finite());
    finite.ok_or(LimitError::SoftLimit { kind, change })
}

/// Returns a hard limit that was given as a number with a fraction. A count needs a whole number.
fn hard(kind: MetricKind, number: f64) -> Result<Value, LimitError> {
    // The first number that is too large is 2^64
    let is_count = number.fract() == 0.0 && (0.0..u64::MAX as f64).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a count")]
    let (is_valid, value, error) = if kind.is_rate() || kind.is_counter() {
        let is_valid = number.is_finite() && number >= 0.0;
        (is_valid, Value::Rate(number), LimitError::RateLimit { kind, number })
    } else {
        let error = LimitError::CountLimit { kind, number };
        (is_count, Value::Count(number as u64), error)
    };
    is_valid.then_some(value).ok_or(error)
}

/// Writes `Instructions +73.7 % (limit +5 %): 152 → 264`.
impl fmt::Display for Regression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, limit } = self;
        let label = kind.label();
        match limit {
            Broken::Soft { new, old, change, limit } => {
                write_change(formatter, label, [*old, *new], *change, *limit, "")
            }
            Broken::Learned { new, old, change, limit } => {
                let LearnedLimit { percentage, observations } = limit;
                let source = format!(", learned from {observations}");
                write_change(formatter, label, [*old, *new], *change, *percentage, &source)
            }
            Broken::Complexity { new, limit } => {
                write!(formatter, "{label} grow with O({new}) (limit O({limit}))")
            }
            Broken::UnknownComplexity { reason, limit } => {
                write!(
                    formatter,
                    "{label} have the limit O({limit}), but their class is not known: {reason}"
                )
            }
            Broken::WorseClass { new, old, limit } => {
                let limit = numbers::percent(*limit);
                write!(formatter, "{label} per element grow: O({old}) → O({new}) (limit {limit})")
            }
            Broken::PerElement { new, old, percentage, limit } => {
                let (new, old) = (factor_text(*new), factor_text(*old));
                let change = numbers::percent_beyond(*percentage, *limit);
                let limit = numbers::percent(*limit);
                write!(formatter, "{label} per element {change} (limit {limit}): {old} → {new}")
            }
            Broken::Hard { new, limit } => {
                let texts = [*new, *limit].map(numbers::value);
                let [new, limit] = match (&texts, new, limit) {
                    // Rates that differ in later digits only
                    ([a, b], Value::Rate(new), Value::Rate(limit)) if a == b => {
                        [new, limit].map(ToString::to_string)
                    }
                    _ => texts,
                };
                write!(formatter, "{label} {new} (limit {limit})")
            }
        }
    }
}

impl Regression {
    /// Returns the limit without the new value and the change, which are printed next to it: `Instructions (limit +5 %), old
    /// 152`. `None` if their rounded values would look like the limit, or for the growth.
    #[must_use]
    pub fn without_new_value(&self) -> Option<String> {
        let label = self.kind.label();
        let (old, change, percentage, source) = match &self.limit {
            Broken::Soft { old, change, limit, .. } => (old, change, *limit, String::new()),
            Broken::Learned { old, change, limit, .. } => {
                (old, change, limit.percentage, format!(", learned from {}", limit.observations))
            }
            Broken::Hard { new, limit } => {
                let [new, limit] = [*new, *limit].map(numbers::value);
                return (new != limit).then(|| format!("{label} (limit {limit})"));
            }
            _ => return None,
        };
        let limit = numbers::percent(percentage);
        let is_clear = change.short_text() != limit;
        is_clear.then(|| format!("{label} (limit {limit}{source}), old {}", numbers::value(*old)))
    }
}

/// Writes the change of a value, its limit and both values.
fn write_change(
    formatter: &mut fmt::Formatter<'_>,
    label: &str,
    values: [Value; 2],
    change: Change,
    limit: f64,
    source: &str,
) -> fmt::Result {
    let change = match change {
        Change::By { percentage, .. } => numbers::percent_beyond(percentage, limit),
        other => other.short_text(),
    };
    let limit = numbers::percent(limit);
    let [old, new] = values.map(numbers::value);
    write!(formatter, "{label} {change} (limit {limit}{source}): {old} → {new}")
}

#[cfg(test)]
mod tests {
    use iai_callgrind_growth::{Point, fit};
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
        let expected = ["Instructions +73.7 % (limit +5 %): 152 → 264"];
        assert_eq!(regressions(&[soft(5.0)], 264, Some(152)), expected);
        assert!(
            regressions(&[soft(5.0)], 105, Some(100)).is_empty(),
            "the limit itself is allowed"
        );
        assert!(regressions(&[soft(5.0)], 50, Some(100)).is_empty());
        assert!(regressions(&[soft(5.0)], 264, None).is_empty(), "nothing to compare with");
        assert_eq!(
            regressions(&[soft(0.0)], 1, Some(0)),
            ["Instructions from 0 (limit 0 %): 0 → 1"]
        );
    }

    #[test]
    fn a_limit_next_to_the_new_value_has_the_old_one() {
        let text = |limit: Limit, new, old| {
            let limits = Limits::resolve(&[(Ir, limit)]).unwrap();
            let broken = limits.check(&metrics(new, 1), Some(&metrics(old, 1)));
            broken[0].without_new_value()
        };
        let expected = "Instructions (limit +5 %), old 1,152";
        assert_eq!(text(soft(5.0), 1264, 1152).unwrap(), expected);
        assert_eq!(text(soft(5.0), 10_500_001, 10_000_000), None, "both are +5 %");
        assert_eq!(text(hard(99), 1264, 1152).unwrap(), "Instructions (limit 99)");
    }

    #[test]
    fn a_negative_limit_is_for_improvements() {
        let expected = ["Instructions -20 % (limit -10 %): 100 → 80"];
        assert_eq!(regressions(&[soft(-10.0)], 80, Some(100)), expected);
        assert!(regressions(&[soft(-10.0)], 95, Some(100)).is_empty());
        assert!(
            regressions(&[soft(-10.0)], 90, Some(100)).is_empty(),
            "the limit itself is allowed"
        );
        assert!(regressions(&[soft(-10.0)], 200, Some(100)).is_empty());
    }

    #[test]
    fn a_hard_limit_needs_no_old_value() {
        assert_eq!(regressions(&[hard(200)], 264, None), ["Instructions 264 (limit 200)"]);
        assert!(regressions(&[hard(264)], 264, None).is_empty());
    }

    #[test]
    fn the_last_limit_of_a_kind_wins() {
        let limits = [soft(10.0), hard(500), soft(5.0), hard(200)];
        assert_eq!(regressions(&limits[..2], 264, Some(250)).len(), 0);
        assert_eq!(regressions(&limits, 264, Some(250)).len(), 2);
    }

    #[test]
    fn added_limits_replace_those_of_the_same_kind() {
        let mut limits = Limits::resolve(&[(Ir, soft(10.0)), (Ir, hard(300))]).unwrap();
        limits.extend(Limits::resolve(&[(Ir, soft(20.0)), (Dr, hard(1))]).unwrap());
        let broken = limits.check(&metrics(115, 2), Some(&metrics(100, 2)));
        assert_eq!(broken.iter().map(ToString::to_string).collect::<Vec<_>>(), ["Dr 2 (limit 1)"]);
        assert_eq!(limits.check(&metrics(301, 1), Some(&metrics(300, 1))).len(), 1);
    }

    #[test]
    fn each_limit_is_listed_by_its_kind() {
        let limits = Limits::resolve(&[(Ir, soft(5.0)), (Dr, hard(9))]).unwrap();
        let (classes, costs) = ([(Dw, Complexity::N)], [(D1mr, 2.0.into())]);
        let limits = limits.with_growth(classes.into_iter(), costs.into_iter()).unwrap();
        assert!(limits.kinds().eq([Ir, Dr, Dw, D1mr]));
        let has_growth = |kind| limits.limits_growth_of(kind);
        assert_eq!([Ir, Dr, Dw, D1mr].map(has_growth), [false, false, true, true]);
        assert!(limits.soft().eq([(Ir, 5.0)]));
        assert!(limits.hard().eq([(Dr, Value::Count(9))]));
        assert!(limits.complexity().eq(classes));
        assert!(limits.per_element().eq([(D1mr, 2.0)]));
        assert_eq!(limits.learned().count(), 0);
    }

    /// Returns the limits of growth that a curve with this cost of an element breaks, compared with another one.
    fn broken_by_growth(
        limit: Complexity,
        new: impl Fn(i64) -> i64,
        old: impl Fn(i64) -> i64,
    ) -> Vec<String> {
        let fitted = |cost: &dyn Fn(i64) -> i64| {
            let points = [8, 16, 32, 64, 128, 256].map(|n| Point::new(n, cost(n) as f64));
            fit(&points).unwrap()
        };
        let (new, old) = (fitted(&new), fitted(&old));
        let limits = Limits::default()
            .with_growth([(Ir, limit)].into_iter(), [(Ir, 5.0.into())].into_iter());
        let change = FitChange::between(&new, &old);
        let broken = limits.unwrap().check_growth(Ir, &Ok(new), Some(&change));
        broken.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn growth_has_limits() {
        use Complexity::{Constant, N};
        let linear = |n| 100 * n + 10;
        assert_eq!(broken_by_growth(N, linear, linear), [""; 0]);
        assert_eq!(
            broken_by_growth(N, |n| 105 * n + 10, linear),
            [""; 0],
            "the limit itself is allowed"
        );
        let expected = ["Instructions per element +6 % (limit +5 %): 100 → 106"];
        assert_eq!(broken_by_growth(N, |n| 106 * n + 10, linear), expected);
        assert_eq!(
            broken_by_growth(Constant, linear, linear),
            ["Instructions grow with O(n) (limit O(1))"]
        );
        let expected = [
            "Instructions grow with O(n²) (limit O(n))",
            "Instructions per element grow: O(n) → O(n²) (limit +5 %)",
        ];
        assert_eq!(broken_by_growth(N, |n| n * n + 10, linear), expected);
        assert_eq!(broken_by_growth(N, linear, |n| n * n + 10), [""; 0], "a better class");
    }

    #[test]
    fn limits_that_the_user_sets_win_over_learned_ones() {
        let mut noise = Noise::default();
        for _ in 0..3 {
            noise.add_pair(&metrics(1000, 10), &metrics(1010, 10));
        }
        noise.set_newest(&metrics(1000, 10));
        let messages = |set: &[(MetricKind, Limit)]| -> Vec<String> {
            let mut limits = Limits::resolve(set).unwrap();
            limits.learn(&noise, &[Ir, Dr]);
            let broken = limits.check(&metrics(1030, 11), Some(&metrics(1000, 10)));
            broken.iter().map(ToString::to_string).collect()
        };
        let ir = "Instructions +3 % (limit +2 %, learned from 3 pairs of commits): 1,000 → 1,030";
        let dr = "Dr +10 % (limit 0 %, learned from 3 pairs of commits): 10 → 11";
        assert_eq!(messages(&[]), [ir, dr]);
        assert_eq!(messages(&[(Ir, soft(5.0))]), [dr]);
        assert_eq!(messages(&[(Ir, soft(5.0)), (Dr, hard(20))]), [""; 0]);
        let mut limits = Limits::default();
        limits.learn(&noise, &[Ir, Dr]);
        let learned = limits.learned().map(|(kind, limit)| (kind, limit.percentage));
        assert!(learned.eq([(Ir, 2.0), (Dr, 0.0)]));
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
                "D1 Miss Rate +30 % (limit +20 %): 1.00000 → 1.30000",
                "D1 Miss Rate 1.30000 (limit 1.25000)",
            ]
        );
        assert!(regressions(1.3, 13, 13).is_empty(), "the limit itself is allowed");
        let limits = Limits::resolve(&[(D1MissRate, Limit::Rate { value: 1.3.into() })]).unwrap();
        let many = [(Dr, 1_000_000_000), (Dw, 0), (D1mr, 13_000_001), (D1mw, 0)];
        let broken = limits.check(&many.into_iter().collect(), None);
        assert_eq!(broken[0].to_string(), "D1 Miss Rate 1.3000001 (limit 1.3)");
    }

    #[test]
    fn whole_numbers_suit_every_metric() {
        let rate = |number: f64| Limit::Rate { value: number.into() };
        let resolve = |kind, limit| match Limits::resolve(&[(kind, limit)]) {
            Ok(limits) => Ok(limits.hard[&kind]),
            Err(error) => Err(error.to_string()),
        };
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
        assert_eq!(error.to_string(), expected);
    }
}
