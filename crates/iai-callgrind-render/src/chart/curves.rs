//! The charts of a run: one for each function, metric and tool.

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_growth::{Fit, Point};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_results::{CurvePoint, Growth, MetricGrowth, ToolGrowth};
use iai_callgrind_store::write_chart;

use super::{Series, draw_growth};
use crate::error::Result;

/// Collects the growth of curves, and draws all curves of a function into the same charts.
#[derive(Debug, Default)]
pub struct Charts {
    curves: Vec<Growth>,
}

/// A directory of results, a function, a tool and a metric.
type ChartKey<'a> = (&'a Path, String, &'static str, MetricKind);

/// Returns the name of the charts with all functions of a group, which no function has.
pub fn group_chart(group: &str) -> String {
    format!("group {group}")
}

impl Charts {
    /// Adds a curve, if a benchmark completed one.
    pub fn add(&mut self, growth: Option<Growth>) {
        self.curves.extend(growth);
    }

    /// Writes the charts of the printed metrics next to the results.
    pub fn write(&self) -> Result<()> {
        let mut charts: BTreeMap<ChartKey<'_>, Vec<(&Growth, &MetricGrowth)>> = BTreeMap::new();
        for growth in &self.curves {
            for ToolGrowth { tool, metrics } in &growth.tools {
                for metric in
                    metrics.iter().filter(|metric| metric.is_printed && metric.points.len() > 1)
                {
                    let group = growth.group.as_deref().map(group_chart);
                    for name in [Some(growth.function.clone()), group].into_iter().flatten() {
                        let key = (&*growth.directory, name, *tool, metric.kind);
                        charts.entry(key).or_default().push((growth, metric));
                    }
                }
            }
        }
        for ((directory, function, tool, kind), curves) in charts {
            let is_group =
                curves[0].0.group.as_deref().map(group_chart).as_ref() == Some(&function);
            let is_of_one =
                curves.iter().all(|(growth, _)| growth.function == curves[0].0.function);
            if is_group && is_of_one {
                continue;
            }
            let title = format!("{function}: {}", kind.label());
            if let Some(svg) = draw_growth(&title, &series(&curves)) {
                write_chart(directory, [&function, tool, kind.name()], &svg)?;
            }
        }
        Ok(())
    }
}

/// Returns the new curves of a chart with the old ones behind them.
fn series<'a>(curves: &[(&'a Growth, &'a MetricGrowth)]) -> Vec<Series<'a>> {
    let mut all = Vec::new();
    for (curve, (growth, metric)) in curves.iter().enumerate() {
        let name = growth.curve.rsplit("::").next().unwrap_or(&growth.curve);
        let mut add = |points: &[CurvePoint], fit: Option<&'a Fit>, is_old: bool| {
            let old = if is_old { ", old" } else { "" };
            let formula = fit.map(|fit| format!(": {}   O({})", fit.formula, fit.formula.class));
            let name = format!("{name}{old}{}", formula.unwrap_or_default());
            let points = points.iter().copied().map(Point::from).collect();
            all.push(Series { name, curve, points, fit, is_old });
        };
        if !metric.old_points.is_empty() && metric.old_points != metric.points {
            add(&metric.old_points, metric.old.as_ref(), true);
        }
        add(&metric.points, metric.new.as_ref().ok(), false);
    }
    all
}
