//! Collects the results of curves, and fits a curve after its last benchmark.

use std::collections::{BTreeMap, HashMap};

use iai_callgrind_compare::Regression;
use iai_callgrind_growth::{Point, crossovers};
use iai_callgrind_tools::tool::Measurement;

use super::curve::CurveTotals;
use super::{CurveCrossover, CurvePoint, Growth, MetricGrowth, ToolGrowth};
use crate::benchmark::{Benchmark, CurvePlace};
use crate::options::ToolOptions;

/// Collects the results of the benchmarks that are on curves.
pub struct Collector<'a> {
    benchmarks: &'a [Benchmark],
    /// The index of the last benchmark of each curve.
    last: HashMap<CurveKey<'a>, usize>,
    /// The totals of the benchmarks so far, by tool.
    totals: HashMap<CurveKey<'a>, BTreeMap<&'static str, CurveTotals>>,
    /// Complete curves that are compared with later ones, by group and the part of their names
    /// after the function.
    complete: HashMap<CurveKey<'a>, Vec<CompleteCurve>>,
}

/// The result of a benchmark under a tool.
pub struct ComparedResult<'a> {
    /// The measurement of this run.
    pub new: &'a Measurement,
    /// The measurement that it is compared with.
    pub old: Option<&'a Measurement>,
    /// The limits that it exceeds.
    pub regressions: &'a mut Vec<Regression>,
}

/// A group and the name of a curve in it.
type CurveKey<'a> = (usize, &'a str);

/// A curve that later ones of its group are compared with.
struct CompleteCurve {
    name: String,
    function: String,
    /// The first metric under each tool, with the name of the tool.
    metrics: Vec<(&'static str, MetricGrowth)>,
}

impl<'a> Collector<'a> {
    /// Creates a collector for these benchmarks.
    pub fn new(benchmarks: &'a [Benchmark]) -> Self {
        let places = benchmarks.iter().enumerate();
        let last = places.filter_map(|(index, benchmark)| Some((key(benchmark)?.0, index)));
        Self { benchmarks, last: last.collect(), totals: HashMap::new(), complete: HashMap::new() }
    }

    /// Adds the results of a benchmark, each under one of its tools; `None` under a tool that
    /// failed. After the last benchmark of a curve without failures, returns its growth. Adds the
    /// limits that the growth exceeds to the results.
    pub fn add(
        &mut self,
        index: usize,
        results: Vec<Option<ComparedResult<'_>>>,
    ) -> Option<Growth> {
        let benchmark = &self.benchmarks[index];
        let (key, place) = key(benchmark)?;
        let totals = self.totals.entry(key).or_default();
        for (options, result) in benchmark.options.tools.iter().zip(&results) {
            if let Some(ComparedResult { new, old, .. }) = result {
                totals.entry(options.tool.name).or_default().add(new, *old);
            }
        }
        if self.last.get(&key) != Some(&index) {
            return None;
        }
        let totals = self.totals.remove(&key)?;
        let is_whole = totals.values().any(|totals| totals.len() == place.points);
        let is_compared =
            benchmark.comparison_key().is_some() || benchmark.function_and_input().is_some();
        let (mut tools, mut is_printed) = (Vec::new(), false);
        for (options, result) in benchmark.options.tools.iter().zip(results) {
            let tool = options.tool.name;
            let Some(totals) = totals.get(tool) else { continue };
            let mut metrics = metrics(options, totals);
            // The user selected only a part of the inputs
            let has_sizes =
                |metric: &MetricGrowth| !metric.lacks_sizes() || (is_whole && place.is_declared);
            metrics.retain(|metric| has_sizes(metric) || (is_whole && is_compared));
            if let Some(ComparedResult { regressions, .. }) = result {
                let checked = metrics.iter().filter(|metric| has_sizes(metric));
                regressions.extend(checked.flat_map(|metric| {
                    let MetricGrowth { kind, new, change, .. } = metric;
                    options.limits.check_growth(*kind, new, change.as_ref())
                }));
            }
            is_printed |= metrics.iter().any(has_sizes);
            if !metrics.is_empty() {
                tools.push(ToolGrowth { tool, metrics });
            }
        }
        if tools.is_empty() {
            return None;
        }
        let (curve, function) = (place.title(benchmark), place.function(benchmark).to_owned());
        let directory = benchmark.files.group_directory().to_owned();
        let mut crossovers = Vec::new();
        let group = is_compared.then(|| benchmark.group_name.clone());
        if is_compared {
            let key = (benchmark.group, place.series(benchmark));
            let complete = self.complete.entry(key).or_default();
            crossovers = complete.iter().flat_map(|other| other.crossovers(&tools)).collect();
            let metrics = tools.iter().map(|growth| (growth.tool, growth.metrics[0].clone()));
            let (name, function) = (curve.clone(), function.clone());
            complete.push(CompleteCurve { name, function, metrics: metrics.collect() });
        }
        Some(Growth { curve, function, group, directory, is_printed, tools, crossovers })
    }
}

impl CompleteCurve {
    /// Returns the crossovers with a later curve that has this growth.
    fn crossovers(&self, tools: &[ToolGrowth]) -> Vec<CurveCrossover> {
        let mut found = Vec::new();
        for (tool, of_other) in &self.metrics {
            let mut metrics = tools
                .iter()
                .filter(|growth| growth.tool == *tool)
                .flat_map(|growth| &growth.metrics);
            let Some(metric) = metrics.find(|metric| metric.kind == of_other.kind) else {
                continue;
            };
            let crossed = crossovers(
                (&points(metric), metric.new.as_ref().ok()),
                (&points(of_other), of_other.new.as_ref().ok()),
            );
            found.extend(crossed.into_iter().map(|crossover| CurveCrossover {
                other: self.name.clone(),
                other_function: self.function.clone(),
                tool,
                kind: metric.kind,
                crossover,
            }));
        }
        found
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

fn points(metric: &MetricGrowth) -> Vec<Point> {
    metric.points.iter().copied().map(|point: CurvePoint| Point::from(point)).collect()
}
