//! Collects the results of curves, and fits a curve when its last benchmark is there.

use std::collections::{BTreeMap, HashMap};

use iai_callgrind_growth::{Point, crossovers};

use super::curve::CurveTotals;
use super::{CurveCrossover, CurvePoint, Growth, MetricGrowth};
use crate::benchmark::{Benchmark, CurvePlace};
use crate::options::ToolOptions;
use crate::tool::Measurement;

/// Collects the results of the benchmarks that are on curves.
pub(crate) struct Collector<'a> {
    benchmarks: &'a [Benchmark],
    /// The index of the last benchmark of each curve.
    last: HashMap<CurveKey<'a>, usize>,
    /// The totals of the benchmarks so far, by tool.
    totals: HashMap<CurveKey<'a>, BTreeMap<&'static str, CurveTotals>>,
    /// The curves that are complete and compared with later ones, by group and the part of their names after the function.
    complete: HashMap<CurveKey<'a>, Vec<CompleteCurve>>,
}

/// The result of a benchmark under one of its tools.
pub(crate) struct ComparedResult<'a> {
    /// The index of the tool.
    pub(crate) tool: usize,
    pub(crate) new: &'a Measurement,
    pub(crate) old: Option<&'a Measurement>,
}

/// A group and the name of a curve in it.
type CurveKey<'a> = (usize, &'a str);

/// A curve that later ones of its group are compared with.
struct CompleteCurve {
    name: String,
    function: String,
    /// The first metric under each tool.
    metrics: Vec<MetricGrowth>,
}

impl<'a> Collector<'a> {
    /// Creates a collector for these benchmarks.
    pub(crate) fn new(benchmarks: &'a [Benchmark]) -> Self {
        let places = benchmarks.iter().enumerate();
        let last = places.filter_map(|(index, benchmark)| Some((key(benchmark)?.0, index)));
        Self { benchmarks, last: last.collect(), totals: HashMap::new(), complete: HashMap::new() }
    }

    /// Adds the results of a benchmark. Returns the growth of its curve if it is the last benchmark of it, and no other one
    /// failed.
    pub(crate) fn add<'r>(
        &mut self,
        index: usize,
        results: impl Iterator<Item = ComparedResult<'r>>,
    ) -> Option<Growth> {
        let benchmark = &self.benchmarks[index];
        let (key, place) = key(benchmark)?;
        let totals = self.totals.entry(key).or_default();
        let tools = &benchmark.options.tools;
        for ComparedResult { tool, new, old } in results {
            totals.entry(tools[tool].tool.name).or_default().add(new, old);
        }
        if self.last.get(&key) != Some(&index) {
            return None;
        }
        let totals = self.totals.remove(&key)?;
        let is_whole = totals.values().any(|totals| totals.len() == place.points);
        let metrics: Vec<_> = tools
            .iter()
            .filter_map(|options| Some((options, totals.get(options.tool.name)?)))
            .flat_map(|(options, totals)| metrics(options, totals))
            // A part of the inputs is what the user selected
            .filter(|metric| !metric.lacks_sizes() || (is_whole && place.is_declared))
            .collect();
        if metrics.is_empty() {
            return None;
        }
        let (curve, function) = (place.title(benchmark), benchmark.function.clone());
        let directory = benchmark.files.group_directory().to_owned();
        let crossovers = self.crossovers(benchmark, place, &metrics);
        self.keep(benchmark, place, &metrics);
        Some(Growth { curve, function, directory, metrics, crossovers })
    }

    /// Returns the crossovers with the earlier curves that the benchmark's group compares.
    fn crossovers(
        &self,
        benchmark: &Benchmark,
        place: &CurvePlace,
        metrics: &[MetricGrowth],
    ) -> Vec<CurveCrossover> {
        if benchmark.comparison_key().is_none() {
            return Vec::new();
        }
        let key = (benchmark.group, place.series(benchmark));
        let mut found = Vec::new();
        for other in self.complete.get(&key).into_iter().flatten() {
            for (metric, of_other) in pairs(metrics, &other.metrics) {
                let (points, other_points) = (points(metric), points(of_other));
                let crossed = crossovers(
                    (&points, metric.new.as_ref().ok()),
                    (&other_points, of_other.new.as_ref().ok()),
                );
                found.extend(crossed.into_iter().map(|crossover| CurveCrossover {
                    other: other.name.clone(),
                    other_function: other.function.clone(),
                    tool: metric.tool,
                    kind: metric.kind,
                    crossover,
                }));
            }
        }
        found
    }

    /// Keeps a curve for the comparison with later ones.
    fn keep(&mut self, benchmark: &'a Benchmark, place: &'a CurvePlace, metrics: &[MetricGrowth]) {
        if benchmark.comparison_key().is_none() {
            return;
        }
        let mut first: Vec<MetricGrowth> = Vec::new();
        for metric in metrics {
            if first.iter().all(|kept| kept.tool != metric.tool) {
                first.push(metric.clone());
            }
        }
        let key = (benchmark.group, place.series(benchmark));
        self.complete.entry(key).or_default().push(CompleteCurve {
            name: place.title(benchmark),
            function: benchmark.function.clone(),
            metrics: first,
        });
    }
}

/// Returns the key of a benchmark's curve, and its place on it.
fn key(benchmark: &Benchmark) -> Option<(CurveKey<'_>, &CurvePlace)> {
    let place = benchmark.curve.as_ref()?;
    Some(((benchmark.group, place.curve.as_str()), place))
}

/// Fits the metrics under a tool that are shown or have a limit, unless they are rates, and the counters.
fn metrics(options: &ToolOptions, totals: &CurveTotals) -> Vec<MetricGrowth> {
    let mut kinds = options.wanted();
    kinds.extend(totals.counters());
    kinds.retain(|kind| !kind.is_rate());
    kinds.sort_unstable();
    kinds.dedup();
    let points = kinds.into_iter().map(|kind| (kind, totals.points(kind)));
    let measured = points.filter(|(_, points)| !points.is_empty());
    measured
        .map(|(kind, points)| MetricGrowth::new(options, kind, points, totals.old_points(kind)))
        .collect()
}

/// Returns the metrics that both curves have.
fn pairs<'b>(
    metrics: &'b [MetricGrowth],
    others: &'b [MetricGrowth],
) -> impl Iterator<Item = (&'b MetricGrowth, &'b MetricGrowth)> {
    others.iter().filter_map(|other| {
        let is_same =
            |metric: &&MetricGrowth| metric.tool == other.tool && metric.kind == other.kind;
        Some((metrics.iter().find(is_same)?, other))
    })
}

fn points(metric: &MetricGrowth) -> Vec<Point> {
    metric.points.iter().copied().map(|point: CurvePoint| Point::from(point)).collect()
}
