//! `compare`: tables of two or more results of each benchmark.

use std::collections::BTreeSet;

use iai_callgrind_base::Natural;
use iai_callgrind_cli::{CompareArgs, GroupBy, can_only_be_filter};
use iai_callgrind_compare::{Change, Limits, Regression};
use iai_callgrind_plan::Percentage;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_render::report::{Comparison, ComparisonRow, metric_title, print_comparison};
use iai_callgrind_render::report::{ExplainedChange, print_explanations, print_regressions};
use iai_callgrind_results::StoredExplainer;
use iai_callgrind_store::{SelectionError, Slot, StoredBenchmark, find_benchmarks};
use iai_callgrind_timing::TimeNote;
use iai_callgrind_tools::tool::{Measurement, TOOLS, Tool};

use super::explanation::is_equal;
use super::gone::leave_out_gone;
use super::selection::{Measured, select_limits, select_metrics};
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &CompareArgs) -> Result<CommandOutcome> {
    let names = options.bases();
    let bases: Vec<_> = names.iter().map(|name| parse_base(name)).collect::<Result<_>>()?;
    let slots: Vec<_> = bases.iter().collect();
    let mut selected =
        find_benchmarks(&existing_directory(options.home.path())?, &options.filters, &slots)?;
    leave_out_gone(&mut selected.benchmarks)?;
    if let Some(by) = options.group_by {
        selected.benchmarks.sort_by_cached_key(|benchmark| Natural(group_key(by, benchmark)));
    }
    let (mut errors, mut explanations, mut regressions) = (Vec::new(), Vec::new(), Vec::new());
    let explainer = StoredExplainer::default();
    let mut measured = Measured::default();
    for tool in TOOLS {
        let metrics = select_metrics(tool, options.metrics.as_deref())?;
        let limits = select_limits(tool, &options.limits)?;
        let wanted: Vec<_> = metrics.iter().copied().chain(limits.kinds()).collect();
        let mut results = Vec::new();
        for benchmark in &selected.benchmarks {
            let read = |base| benchmark.read(tool, base, &wanted);
            match bases.iter().map(read).collect::<Result<Vec<_>, _>>() {
                Ok(measurements) => {
                    regressions.extend(check(&limits, benchmark, &bases, &measurements));
                    let new = measurements.iter().skip(1).flatten();
                    new.for_each(|result| measured.add(tool, &result.total));
                    results.push((benchmark, measurements));
                }
                Err(error) => errors.push(Error::from(error)),
            }
        }
        let mut shown = BTreeSet::new();
        for metric in metrics {
            let rows = results.iter().filter_map(|(benchmark, measurements)| {
                row(benchmark, measurements, metric, options)
            });
            let rows: Vec<_> = rows.collect();
            if !rows.is_empty() {
                shown.extend(rows.iter().map(|row| row.name.clone()));
                let bases = names.clone();
                let title = metric_title(tool.name, metric);
                print_comparison(&Comparison { title, bases, rows })?;
                if options.metrics.is_none() {
                    // By default only the first metric with values is shown
                    break;
                }
            }
        }
        if options.explain && tool.has_tables() {
            let results =
                results.iter().filter(|(benchmark, _)| shown.contains(&benchmark.title()));
            for (benchmark, measurements) in results {
                explanations.extend(explain(&explainer, tool, benchmark, &bases, measurements));
            }
        }
    }
    measured.note_unused(&options.limits);
    if options.metrics.is_none() {
        print_times(&selected.benchmarks, &bases, options)?;
    }
    print_regressions(&regressions)?;
    if !explanations.is_empty() {
        print_explanations(&explanations, options.length.lines())?;
    }
    Error::all(errors)?;
    Ok(CommandOutcome::of_comparison(!regressions.is_empty()))
}

/// Reads the name of a result. Filters are options here, unlike in the other subcommands.
fn parse_base(word: &str) -> Result<Slot> {
    if can_only_be_filter(word) {
        return Err(SelectionError::NameOfBenchmark { name: word.to_owned() }.into());
    }
    Ok(Slot::parse(word)?)
}

/// Returns the limits that the results of a benchmark exceed, compared with the first one, below
/// their names.
fn check(
    limits: &Limits,
    benchmark: &StoredBenchmark,
    bases: &[Slot],
    measurements: &[Option<Measurement>],
) -> Vec<(String, Vec<Regression>)> {
    let old = measurements[0].as_ref().map(|old| &old.total);
    let others = bases.iter().zip(measurements).skip(1);
    let found = others.filter_map(|(base, new)| {
        let regressions = limits.check(&new.as_ref()?.total, old);
        (!regressions.is_empty()).then(|| (name_of_change(benchmark, bases, base), regressions))
    });
    found.collect()
}

/// Returns the name of a benchmark with the two differing results, if there are more than two.
fn name_of_change(benchmark: &StoredBenchmark, bases: &[Slot], base: &Slot) -> String {
    match bases {
        [_, _] => benchmark.title(),
        _ => format!("{} ({} → {})", benchmark.title(), bases[0].name(), base.name()),
    }
}

/// Explains the differences of a benchmark's results from the first one, below their names.
fn explain(
    explainer: &StoredExplainer,
    tool: &Tool,
    benchmark: &StoredBenchmark,
    bases: &[Slot],
    results: &[Option<Measurement>],
) -> Vec<ExplainedChange> {
    let others = bases.iter().zip(results).skip(1);
    let found = others.filter_map(|(base, result)| {
        let results = [results[0].as_ref()?, result.as_ref()?];
        let slots = [&bases[0], base];
        let explanation = explainer.explain_results(tool, benchmark, slots, results)?;
        let (title, name) = (name_of_change(benchmark, bases, base), benchmark.name());
        (!is_equal(&explanation)).then_some(ExplainedChange { title, name, explanation })
    });
    found.collect()
}

/// Prints the stored times of benchmarks that have at least two.
fn print_times(
    benchmarks: &[StoredBenchmark],
    bases: &[Slot],
    options: &CompareArgs,
) -> Result<()> {
    let mut rows = Vec::new();
    for benchmark in benchmarks {
        let time = |base| Ok(benchmark.files.read_time(base)?.map(|it| it.time.new.wall.value));
        let times = bases.iter().map(time).collect::<Result<Vec<_>>>()?;
        if times.iter().flatten().count() > 1 {
            let key = options.group_by.map(|by| group_key(by, benchmark));
            rows.push(ComparisonRow::of_times(key, benchmark.title(), &times));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let (title, bases) = ("Time of a call".to_owned(), options.bases());
    print_comparison(&Comparison { title, bases, rows })?;
    TimeNote::OfRuns.print();
    Ok(())
}

/// Returns the text that the rows of a group share.
fn group_key(by: GroupBy, benchmark: &StoredBenchmark) -> String {
    let StoredBenchmark { file, group, function, id, .. } = benchmark;
    match by {
        GroupBy::Package => benchmark.origin(),
        GroupBy::File => file.clone(),
        GroupBy::Group => format!("{file}::{group}"),
        GroupBy::Function => format!("{file}::{group}::{function}"),
        GroupBy::Id => id.clone().unwrap_or_default(),
    }
}

/// Returns `None` if there is no value, or no change above the threshold.
fn row(
    benchmark: &StoredBenchmark,
    measurements: &[Option<Measurement>],
    metric: MetricKind,
    options: &CompareArgs,
) -> Option<ComparisonRow> {
    let value = |measurement: &Option<Measurement>| measurement.as_ref()?.total.get(metric);
    let values: Vec<_> = measurements.iter().map(value).collect();
    values.iter().any(Option::is_some).then_some(())?;
    let changes = values.iter().map(|value| Change::between(*value, values[0]));
    let exceeds = |limit: Percentage| {
        let mut percentages = changes.filter_map(Change::percentage);
        percentages.any(|percentage| percentage.abs() > limit.get())
    };
    let key = options.group_by.map(|by| group_key(by, benchmark));
    let is_shown = options.threshold.is_none_or(exceeds);
    is_shown.then(|| ComparisonRow::of_values(key, benchmark.title(), &values))
}
