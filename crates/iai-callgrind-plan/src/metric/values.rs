//! The values that a tool counted, in its order.
//!
//! Only the runner uses this module. `#[inline]` keeps its code out of the library's build.

use std::fmt;

use super::row::Source;
use super::{MetricKind, Unit, Value};
use crate::{Counter, Throughput};

/// The counts of one part, one process or a whole benchmark.
///
/// The events are in the order of the tool. Derived metrics are computed on demand, so that they are
/// consistent with the events after an addition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metrics {
    values: Vec<(MetricKind, u64)>,
    /// The amount of data that the benchmark processed.
    throughput: Option<Throughput>,
    /// The values that the benchmark reported, in the order of their first report.
    counters: Vec<Counter>,
}

/// The reason why two [`Metrics`] have no sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddError {
    /// The events or their orders differ.
    DifferentEvents,
    /// The sum of this event exceeds 64 bits.
    Overflow(MetricKind),
}

impl fmt::Display for AddError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DifferentEvents => f.write_str("different events were counted"),
            Self::Overflow(kind) => write!(f, "the sum of {kind} exceeds 64 bits"),
        }
    }
}

impl std::error::Error for AddError {}

impl Metrics {
    /// Sets the amount of data that the benchmark processed. Sums have no amount.
    #[must_use]
    #[inline]
    pub fn with_throughput(self, throughput: Option<Throughput>) -> Self {
        Self { throughput, ..self }
    }

    /// Returns the amount of data that the benchmark processed.
    #[must_use]
    #[inline]
    pub fn throughput(&self) -> Option<Throughput> {
        self.throughput
    }

    /// Sets the values that the benchmark reported. Sums have none.
    #[must_use]
    #[inline]
    pub fn with_counters(self, counters: Vec<Counter>) -> Self {
        Self { counters, ..self }
    }

    /// Returns the values that the benchmark reported, as metrics.
    #[inline]
    pub fn counters(&self) -> impl Iterator<Item = (MetricKind, Value)> {
        self.counters
            .iter()
            .map(|counter| (MetricKind::Counter(counter.name), counter.value.into()))
    }

    /// Returns the value of a metric, computed if it is derived.
    ///
    /// `None` if the metric, or an event of its formula, was not counted.
    #[must_use]
    #[inline]
    pub fn get(&self, kind: MetricKind) -> Option<Value> {
        match kind.source() {
            Source::Share(part, whole) => {
                let share = quotient(self.sum(part)?, self.sum(whole)?)?;
                Some(Value::Rate(if kind.unit() == Unit::Percent { share * 100.0 } else { share }))
            }
            Source::PerUnit(amount) => {
                let instructions = self.count(MetricKind::Ir)?;
                quotient(instructions, amount(self.throughput?)?).map(Value::Rate)
            }
            Source::Counter => {
                self.counters().find(|(counter, _)| *counter == kind).map(|(_, value)| value)
            }
            _ => self.count(kind).map(Value::Count),
        }
    }

    /// Returns the value of a metric that is a count; `None` for a rate or a counter.
    #[must_use]
    #[inline]
    pub fn count(&self, kind: MetricKind) -> Option<u64> {
        match kind.source() {
            Source::Sum(kinds) => self.sum(kinds),
            Source::Formula(formula) => formula(self),
            Source::Share(..) | Source::PerUnit(_) | Source::Counter => None,
            Source::Event | Source::Reported | Source::Calls => {
                self.values.iter().find(|(event, _)| *event == kind).map(|(_, value)| *value)
            }
        }
    }

    /// Returns the sum of counts; `None` if it exceeds 64 bits.
    #[inline]
    pub(super) fn sum(&self, kinds: &[MetricKind]) -> Option<u64> {
        kinds.iter().try_fold(0_u64, |total, kind| total.checked_add(self.count(*kind)?))
    }

    /// Returns the counted events with their values, in the order of the tool.
    #[inline]
    pub fn events(&self) -> impl Iterator<Item = (MetricKind, u64)> {
        self.values.iter().copied()
    }

    /// Returns all metrics with a value, including derived ones, in the order of the table, and
    /// then the counters.
    #[inline]
    pub fn lines(&self) -> impl Iterator<Item = (MetricKind, Value)> {
        self.lines_of(MetricKind::ALL).chain(self.counters())
    }

    /// Selects the metrics that have a value, in the given order. The counters follow, unless no
    /// metrics are shown.
    #[inline]
    pub fn shown_lines(&self, shown: &[MetricKind]) -> impl Iterator<Item = (MetricKind, Value)> {
        self.lines_of(shown).chain(self.counters().filter(|_| !shown.is_empty()))
    }

    /// Selects the metrics that have a value, in the given order.
    #[inline]
    pub fn lines_of(&self, kinds: &[MetricKind]) -> impl Iterator<Item = (MetricKind, Value)> {
        kinds.iter().filter_map(|&kind| Some((kind, self.get(kind)?)))
    }

    /// Adds the counts of each event.
    #[inline]
    pub fn checked_add(&self, other: &Self) -> Result<Self, AddError> {
        if !self.values.iter().map(|(kind, _)| kind).eq(other.values.iter().map(|(kind, _)| kind)) {
            return Err(AddError::DifferentEvents);
        }
        let pairs = self.events().zip(other.events());
        let add = |((kind, a), (_, b)): ((MetricKind, u64), (MetricKind, u64))| {
            Ok((kind, a.checked_add(b).ok_or(AddError::Overflow(kind))?))
        };
        pairs.map(add).collect()
    }
}

/// Divides two counts. There is no value for a divisor of zero.
#[inline]
fn quotient(dividend: u64, divisor: u64) -> Option<f64> {
    (divisor > 0).then(|| dividend as f64 / divisor as f64)
}

impl FromIterator<(MetricKind, u64)> for Metrics {
    #[inline]
    fn from_iter<I: IntoIterator<Item = (MetricKind, u64)>>(values: I) -> Self {
        Self { values: values.into_iter().collect(), throughput: None, counters: Vec::new() }
    }
}

impl Extend<(MetricKind, u64)> for Metrics {
    #[inline]
    fn extend<I: IntoIterator<Item = (MetricKind, u64)>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::MetricKind::{
        Bc, D1mr, D1mw, DLmr, DLmw, Dr, Dw, I1mr, ILmr, Ir, L1HitRate, L1hits, LLhits,
    };
    use crate::{CounterName, CounterValue};

    fn metrics(values: &[(MetricKind, u64)]) -> Metrics {
        values.iter().copied().collect()
    }

    #[test]
    fn sum() {
        let a = metrics(&[(Ir, 1), (Bc, 2)]);
        assert_eq!(a.checked_add(&a), Ok(metrics(&[(Ir, 2), (Bc, 4)])));
        let most = metrics(&[(Ir, 1), (Bc, u64::MAX)]);
        assert_eq!(a.checked_add(&most), Err(AddError::Overflow(Bc)));
        for other in [&[(Bc, 2), (Ir, 1)][..], &[(Ir, 1)], &[]] {
            assert_eq!(a.checked_add(&metrics(other)), Err(AddError::DifferentEvents));
        }
    }

    #[test]
    fn lines_come_in_the_order_of_the_table_or_as_asked() {
        let kinds = [Ir, Dr, Dw, I1mr, D1mr, D1mw, ILmr, DLmr, DLmw, Bc];
        let all: Metrics = kinds.into_iter().map(|kind| (kind, 1)).collect();
        for derived in [L1hits, L1HitRate] {
            assert!(all.lines().any(|(kind, _)| kind == derived));
        }
        assert!(all.lines().is_sorted_by_key(|(kind, _)| kind));
        assert_eq!(all.events().map(|(kind, _)| kind).collect::<Vec<_>>(), kinds);
        let asked: Vec<_> = all.lines_of(&[Dw, MetricKind::Ge, Ir]).collect();
        assert_eq!(asked, [(Dw, Value::Count(1)), (Ir, Value::Count(1))]);
    }

    #[test]
    fn counters_come_after_the_metrics() {
        let counter = |name: &str, value| Counter { name: CounterName::new(name).unwrap(), value };
        let nodes = counter("nodes", CounterValue::Count(7));
        let counters = vec![counter("ratio", CounterValue::number(2.5).unwrap()), nodes];
        let all_values = metrics(&[(Ir, 1), (Bc, 2)]).with_counters(counters);
        let texts = |lines: Vec<(MetricKind, Value)>| {
            lines.iter().map(|(kind, value)| format!("{kind} {value}")).collect::<Vec<_>>()
        };
        let all = ["Ir 1", "Bc 2", "ratio 2.50000", "nodes 7"];
        assert_eq!(texts(all_values.lines().collect()), all);
        assert_eq!(texts(all_values.shown_lines(&[Ir]).collect()), [all[0], all[2], all[3]]);
        assert_eq!(all_values.shown_lines(&[]).count(), 0);
        assert_eq!(all_values.get(MetricKind::Counter(nodes.name)), Some(Value::Count(7)));
        assert_eq!(all_values.checked_add(&all_values).unwrap().counters().count(), 0);
    }

    #[test]
    fn nothing_that_was_not_counted_is_printed() {
        let only_ir = metrics(&[(Ir, 0)]);
        assert_eq!(only_ir.lines().collect::<Vec<_>>(), [(Ir, Value::Count(0))]);
        for kind in [L1hits, LLhits, L1HitRate, MetricKind::Allocations] {
            assert_eq!(only_ir.get(kind), None);
        }
    }
}
