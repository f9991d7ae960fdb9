//! `compare`: a table of two or more results of each benchmark.

use std::process::ExitCode;

use iai_callgrind_plan::Percentage;
use iai_callgrind_plan::metric::{EventKind, Value};

use super::find::{StoredBenchmark, find};
use super::tables::print_comparison;
use super::{counted, is_there, selection};
use crate::cli::{Compare, GroupBy};
use crate::compare::Change;
use crate::error::Result;
use crate::output::Slot;
use crate::tool::{Measurement, TOOLS, Tool};

/// A table: one metric under one tool.
pub(crate) struct Comparison {
    pub(crate) tool: &'static str,
    pub(crate) metric: EventKind,
    /// The names of the columns.
    pub(crate) bases: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// A benchmark in a table.
pub(crate) struct Row {
    /// What it has in common with those beside it, if that was asked for.
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    /// A value for each column, with its difference from the first.
    pub(crate) cells: Vec<(Option<Value>, Change)>,
}

impl GroupBy {
    fn key(self, benchmark: &StoredBenchmark) -> String {
        let StoredBenchmark { file, group, function, id, .. } = benchmark;
        match self {
            Self::Package => benchmark.origin(),
            Self::File => file.clone(),
            Self::Group => format!("{file}::{group}"),
            Self::Function => format!("{file}::{group}::{function}"),
            Self::Id => id.clone().unwrap_or_default(),
        }
    }
}

pub(super) fn run(options: &Compare) -> Result<ExitCode> {
    let bases: Vec<_> =
        options.bases.iter().map(|name| Slot::named(name)).collect::<Result<_>>()?;
    let mut found = find(options.home.path(), &options.filters)?;
    for base in &bases {
        is_there(base, &found.benchmarks)?;
    }
    if let Some(by) = options.group_by {
        found.benchmarks.sort_by_key(|benchmark| by.key(benchmark));
    }
    let mut all_read = true;
    for tool in TOOLS {
        let metrics = selection(tool, options.metrics.as_deref())?;
        let mut results = Vec::new();
        for benchmark in &found.benchmarks {
            match read(tool, benchmark, &bases, &metrics) {
                Ok(counted) => results.push((benchmark, counted)),
                Err(error) => {
                    anstream::eprintln!("error: {error}");
                    all_read = false;
                }
            }
        }
        for metric in metrics {
            let rows = results
                .iter()
                .filter_map(|(benchmark, counted)| row(benchmark, counted, metric, options));
            let rows: Vec<_> = rows.collect();
            if !rows.is_empty() {
                let bases = options.bases.clone();
                print_comparison(&Comparison { tool: tool.name, metric, bases, rows });
                if options.metrics.is_none() {
                    // The first one is enough, unless somebody asks for others
                    break;
                }
            }
        }
    }
    Ok(if all_read { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a benchmark has under these names.
fn read(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    bases: &[Slot],
    metrics: &[EventKind],
) -> Result<Vec<Option<Measurement>>> {
    bases.iter().map(|base| counted(tool, benchmark, base, metrics)).collect()
}

/// None if there is no value, or no difference that is large enough.
fn row(
    benchmark: &StoredBenchmark,
    counted: &[Option<Measurement>],
    metric: EventKind,
    options: &Compare,
) -> Option<Row> {
    let value = |counted: &Option<Measurement>| counted.as_ref()?.total.get(metric);
    let values: Vec<_> = counted.iter().map(value).collect();
    values.iter().any(Option::is_some).then_some(())?;
    let cells: Vec<_> =
        values.iter().map(|&value| (value, Change::between(value, values[0]))).collect();
    let exceeds = |limit: Percentage| {
        let mut percentages = cells.iter().filter_map(|(_, change)| change.percentage());
        percentages.any(|percentage| percentage.abs() > limit.get())
    };
    options.threshold.is_none_or(exceeds).then(|| Row {
        key: options.group_by.map(|by| by.key(benchmark)),
        name: benchmark.name(),
        cells,
    })
}
