//! The charts of a run: one for each function, metric and tool.

use std::collections::BTreeMap;
use std::path::Path;

use iai_callgrind_plan::metric::MetricKind;

use super::chart::draw;
use super::{Growth, MetricGrowth, ToolGrowth};
use crate::error::Result;
use crate::output::write_chart;

/// Collects the growth of curves, and draws those of a function into the same charts.
#[derive(Debug, Default)]
pub(crate) struct Charts {
    curves: Vec<Growth>,
}

/// A directory of results, a function, a tool and a metric.
type ChartKey<'a> = (&'a Path, &'a str, &'static str, MetricKind);

impl Charts {
    /// Adds a curve, if a benchmark completed one.
    pub(crate) fn add(&mut self, growth: Option<Growth>) {
        self.curves.extend(growth);
    }

    /// Writes the charts of the printed metrics next to the results.
    pub(crate) fn write(&self) -> Result<()> {
        let mut charts: BTreeMap<ChartKey<'_>, Vec<(&Growth, &MetricGrowth)>> = BTreeMap::new();
        for growth in &self.curves {
            for ToolGrowth { tool, metrics } in &growth.tools {
                for metric in metrics.iter().filter(|metric| metric.is_printed) {
                    let key = (&*growth.directory, &*growth.function, *tool, metric.kind);
                    charts.entry(key).or_default().push((growth, metric));
                }
            }
        }
        for ((directory, function, tool, kind), curves) in charts {
            if let Some(svg) = draw(function, &curves) {
                write_chart(directory, [function, tool, kind.name()], &svg)?;
            }
        }
        Ok(())
    }
}
