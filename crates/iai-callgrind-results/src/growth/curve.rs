//! The points of a curve.

use iai_callgrind_growth::Point;
use iai_callgrind_plan::metric::{MetricKind, Metrics, Value};
use iai_callgrind_tools::tool::Measurement;

/// The value of a metric for an input with a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The size of the input.
    pub size: i64,
    /// The value of the metric.
    pub value: Value,
}

impl From<CurvePoint> for Point {
    fn from(CurvePoint { size, value }: CurvePoint) -> Self {
        Self::new(size, value.as_f64())
    }
}

/// The totals for an input with a size.
#[derive(Debug, Clone)]
struct SizedTotal {
    size: i64,
    total: Metrics,
}

impl SizedTotal {
    fn new(measurement: &Measurement) -> Option<Self> {
        Some(Self { size: measurement.size?, total: measurement.total.clone() })
    }

    fn point(&self, kind: MetricKind) -> Option<CurvePoint> {
        Some(CurvePoint { size: self.size, value: self.total.get(kind)? })
    }
}

/// The stored totals of the benchmarks of a curve under one tool, new and old.
#[derive(Debug, Default)]
pub(super) struct CurveTotals {
    new: Vec<SizedTotal>,
    old: Vec<SizedTotal>,
}

impl CurveTotals {
    /// Adds the result of a benchmark.
    pub(super) fn add(&mut self, new: &Measurement, old: Option<&Measurement>) {
        self.new.extend(SizedTotal::new(new));
        self.old.extend(old.and_then(SizedTotal::new));
    }

    /// Returns the new points of a metric; none if the metric lacks a value for an input.
    pub(super) fn points(&self, kind: MetricKind) -> Vec<CurvePoint> {
        points(&self.new, kind)
    }

    /// Returns the old points of a metric.
    pub(super) fn old_points(&self, kind: MetricKind) -> Vec<CurvePoint> {
        points(&self.old, kind)
    }

    /// Returns the counters of the first input.
    pub(super) fn counters(&self) -> impl Iterator<Item = MetricKind> {
        let first = self.new.iter().take(1);
        first.flat_map(|sized| sized.total.counters().map(|(kind, _)| kind))
    }

    /// Returns the number of inputs.
    pub(super) fn len(&self) -> usize {
        self.new.len()
    }
}

fn points(totals: &[SizedTotal], kind: MetricKind) -> Vec<CurvePoint> {
    totals.iter().map(|total| total.point(kind)).collect::<Option<_>>().unwrap_or_default()
}
