//! Growth of costs with the input size: fits the results of benchmarks on the same curve.

mod collector;
mod curve;

use std::path::PathBuf;

use iai_callgrind_growth::{Crossover, Fit, FitChange, NoFit, Point};
use iai_callgrind_plan::metric::MetricKind;

pub use self::collector::{Collector, ComparedResult};
pub use self::curve::CurvePoint;
use crate::options::ToolOptions;

/// The growth of the costs of a curve.
#[derive(Debug)]
pub struct Growth {
    /// The name of the curve: `file::group::function id`.
    pub curve: String,
    /// The function, or the group if it has none.
    pub function: String,
    /// The group, if its functions are compared with each other.
    pub group: Option<String>,
    /// The directory with the results of the group.
    pub directory: PathBuf,
    /// The user wants a formula, or one was found. Otherwise only the values are drawn.
    pub is_printed: bool,
    /// The growth under each tool.
    pub tools: Vec<ToolGrowth>,
    /// The sizes at which it crosses earlier curves.
    pub crossovers: Vec<CurveCrossover>,
}

/// Growth of the costs under a tool, of at least one metric.
#[derive(Debug)]
pub struct ToolGrowth {
    /// The tool's name.
    pub tool: &'static str,
    /// The growth of each metric.
    pub metrics: Vec<MetricGrowth>,
}

/// The growth of a metric.
#[derive(Debug, Clone)]
pub struct MetricGrowth {
    /// The metric.
    pub kind: MetricKind,
    /// The new values in the order of the benchmarks.
    pub points: Vec<CurvePoint>,
    /// The old values; empty if there are none.
    pub old_points: Vec<CurvePoint>,
    /// The fit of the new values.
    pub new: Result<Fit, NoFit>,
    /// The fit of the old values, if they have one.
    pub old: Option<Fit>,
    /// The difference of both fits.
    pub change: Option<FitChange>,
    /// The metric is printed on the terminal.
    pub is_printed: bool,
}

/// A crossover with another curve.
#[derive(Debug)]
pub struct CurveCrossover {
    /// The name of the other curve.
    pub other: String,
    /// The function of the other curve.
    pub other_function: String,
    /// The name of the tool.
    pub tool: &'static str,
    /// The metric.
    pub kind: MetricKind,
    /// The first side is that of this curve.
    pub crossover: Crossover,
}

/// Metrics whose growth is printed, because they represent the whole cost and not a part.
const PRINTED: [MetricKind; 6] = [
    MetricKind::Ir,
    MetricKind::EstimatedCycles,
    MetricKind::Allocations,
    MetricKind::TotalBytes,
    MetricKind::TotalBlocks,
    MetricKind::PeakBytes,
];

impl MetricGrowth {
    /// Fits the values of a metric.
    fn new(
        options: &ToolOptions,
        kind: MetricKind,
        points: Vec<CurvePoint>,
        old_points: Vec<CurvePoint>,
    ) -> Self {
        let fit = |points: &[CurvePoint]| {
            let points: Vec<_> = points.iter().copied().map(Point::from).collect();
            iai_callgrind_growth::fit(&points)
        };
        let new = fit(&points);
        let old = match &*old_points {
            [] => None,
            // Most functions did not change
            same if *same == points => new.as_ref().ok().cloned(),
            other => fit(other).ok(),
        };
        let fits = new.as_ref().ok().zip(old.as_ref());
        let change = fits.map(|(new, old)| FitChange::between(new, old));
        let is_printed =
            PRINTED.contains(&kind) || kind.is_counter() || options.limits.limits_growth_of(kind);
        Self { kind, points, old_points, new, old, change, is_printed }
    }

    /// Returns `true` if there is no fit because of the input sizes.
    pub fn lacks_sizes(&self) -> bool {
        matches!(
            self.new,
            Err(NoFit::TooFew { .. }
                | NoFit::TooClose { .. }
                | NoFit::Repeated { .. }
                | NoFit::NotPositive { .. })
        )
    }
}
