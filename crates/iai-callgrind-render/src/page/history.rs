//! The recorded values of the benchmarks on the pages.

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_history::{Point, Recorded, Series, SeriesKey, collect};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_summary::Summary;
use iai_callgrind_tools::tool::{TOOLS, Tool};
use maud::{Markup, html};

use super::metrics::main_metric;
use crate::chart::{ChartPoint, history_chart, sparkline};
use crate::error::Result;
use crate::format::metric_value;

/// Maximum number of commits in a chart.
const COMMITS: usize = 500;

/// Number of digits of a commit that are shown.
const SHORT: usize = 12;

/// Metrics with a chart, if a tool has them and the benchmark shows them.
const CHARTS: [MetricKind; 6] = [
    MetricKind::Ir,
    MetricKind::EstimatedCycles,
    MetricKind::TotalBytes,
    MetricKind::TotalBlocks,
    MetricKind::PeakBytes,
    MetricKind::RamHits,
];

/// The values of a metric of a tool, by benchmark.
type SeriesByBenchmark = BTreeMap<SeriesKey, Series>;

/// The recorded commits before the one that is checked out.
pub(super) struct SiteHistory {
    recorded: Recorded,
    /// Names of tools and metrics.
    series: BTreeMap<(&'static str, MetricKind), SeriesByBenchmark>,
}

impl SiteHistory {
    /// Reads the notes of the repository that contains this directory. `None` without a repository or notes.
    pub(super) fn read(directory: &Path, summaries: &[Summary]) -> Result<Option<Self>> {
        let Some(recorded) = Recorded::newest(directory, COMMITS)? else { return Ok(None) };
        let mut series = BTreeMap::new();
        for summary in summaries {
            for (tool, kind) in charted(summary) {
                series
                    .entry((tool.name, kind))
                    .or_insert_with(|| collect(&recorded.results, tool, kind, |_| true));
            }
        }
        Ok(Some(Self { recorded, series }))
    }

    /// Returns the sparkline of the main metric; `None` if it was not recorded.
    pub(super) fn sparkline(&self, summary: &Summary) -> Option<Markup> {
        let main = main_metric(summary)?;
        let (tool, kind) = charted(summary).find(|(tool, _)| tool.name == main.tool.tool)?;
        Some(sparkline(&self.points(summary, tool, kind)?))
    }

    /// Returns the section of the page; `None` if nothing was recorded.
    pub(super) fn section(&self, summary: &Summary) -> Option<Markup> {
        let charts = charted(summary).filter_map(|(tool, kind)| {
            history_chart(kind.label(), &self.points(summary, tool, kind)?)
        });
        let charts: Vec<_> = charts.collect();
        let (first, others) = charts.split_first()?;
        Some(html! {
            section {
                h2 id="history" { "History" }
                (first)
                @if !others.is_empty() {
                    details {
                        summary { "History of other metrics" }
                        @for chart in others { (chart) }
                    }
                }
            }
        })
    }

    /// Returns the recorded values of a metric, and the one of the current run as the last one.
    fn points<'a>(
        &'a self,
        summary: &'a Summary,
        tool: &Tool,
        kind: MetricKind,
    ) -> Option<Vec<ChartPoint<'a>>> {
        let key = |package: String| SeriesKey { package, name: summary.name.clone() };
        let series = self.series.get(&(tool.name, kind))?;
        let with_target = || {
            let target = summary.target.as_ref()?;
            series.get(&key(format!("{} ({target})", summary.package)))
        };
        let points = &series.get(&key(summary.package.clone())).or_else(with_target)?.points;
        let point = |(index, point): (usize, &Point)| {
            let Point { commit, environment, value, .. } = point;
            let listed = &self.recorded.commits[*commit];
            let before = index.checked_sub(1).map(|before| &points[before]);
            let number = |before: &Point| self.recorded.number_between(before.commit, *commit);
            ChartPoint {
                commit: listed.commit.short(),
                date: &listed.date,
                subject: &listed.subject,
                value: *value,
                is_current: false,
                is_new_environment: before.is_some_and(|before| before.environment != *environment),
                not_recorded: before.map_or(0, number),
            }
        };
        let last = points.last()?.commit;
        let mut points: Vec<_> = points.iter().enumerate().map(point).collect();
        self.add_current(&mut points, last, summary, tool, kind);
        // One value is not a history
        (points.len() > 1).then_some(points)
    }

    /// Adds the value of the current run after the last recorded commit, unless it belongs to that
    /// commit.
    fn add_current<'a>(
        &self,
        points: &mut Vec<ChartPoint<'a>>,
        last: usize,
        summary: &'a Summary,
        tool: &Tool,
        kind: MetricKind,
    ) {
        let mut results = summary.tools.iter().filter(|result| result.tool == tool.name);
        let metric = results.find_map(|result| result.total.get(kind.name()));
        let Some(value) = metric.and_then(|metric| metric.new).map(metric_value) else { return };
        let commit = summary.commits.as_ref().and_then(|commits| commits.new.as_ref());
        let is_last = commit.is_some_and(|commit| {
            commit.uncommitted == 0 && commit.id == self.recorded.commits[last].commit.id
        });
        if let Some(point) = points.last_mut().filter(|point| is_last && point.value == value) {
            point.is_current = true;
            return;
        }
        let text = |text: Option<&'a String>| text.map_or("", String::as_str);
        points.push(ChartPoint {
            commit: commit.and_then(|commit| commit.id.get(..SHORT)).unwrap_or(""),
            date: text(commit.and_then(|commit| commit.date.as_ref())),
            subject: text(commit.and_then(|commit| commit.subject.as_ref())),
            value,
            is_current: true,
            is_new_environment: false,
            not_recorded: commit.map_or(0, |commit| self.recorded.number_since(last, &commit.id)),
        });
    }
}

/// Returns the metrics of a benchmark that have a chart, tool by tool, the main one first.
fn charted(summary: &Summary) -> impl Iterator<Item = (&'static Tool, MetricKind)> {
    summary.tools.iter().flat_map(|result| {
        let tool = TOOLS.into_iter().find(|tool| tool.name == result.tool);
        let shown = |kind: &MetricKind| result.shown.iter().any(|name| kind.has_name(name));
        let first = result.shown.first();
        tool.into_iter().flat_map(move |tool| {
            let is_first = move |kind: &&MetricKind| first.is_some_and(|name| kind.has_name(name));
            let main =
                tool.metrics.all.iter().find(is_first).copied().filter(|kind| !kind.is_rate());
            let others = CHARTS.into_iter().filter(move |kind| Some(*kind) != main && shown(kind));
            main.into_iter().chain(others).map(move |kind| (tool, kind))
        })
    })
}
