//! `report`: a report of stored results or of JSON summaries.

use std::collections::HashMap;
use std::path::Path;

use iai_callgrind_cli::ReportArgs;
use iai_callgrind_compare::Limits;
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{VERSION, path};
use iai_callgrind_render::format::benchmark_change;
use iai_callgrind_render::page::measured_commits;
use iai_callgrind_render::read_summaries;
use iai_callgrind_render::report::{
    Compared, baselines, explanation_summary, print_document, summary_machine_values,
};
use iai_callgrind_results::{Explained, Mode, StoredExplainer};
use iai_callgrind_store::{Slot, StoredBenchmark, find_benchmarks};
use iai_callgrind_summary::{self as summary, Status, Summary};
use iai_callgrind_tools::tool::{Measurement, TOOLS, Tool};

use super::error::StoredError;
use super::gone::leave_out_gone;
use super::selection::{Measured, select_limits, select_metrics, select_mode};
use crate::error::{Error, Result};
use crate::outcome::CommandOutcome;
use crate::stored::existing_directory;

pub(super) fn run(options: &ReportArgs) -> Result<CommandOutcome> {
    let mut results = summarize(options)?;
    name_packages(&mut results.summaries);
    print_document(options.format, &results.summaries)?;
    results.outcome()
}

/// Adds the package to names that several benchmarks share.
fn name_packages(summaries: &mut [Summary]) {
    let mut names: HashMap<String, usize> = HashMap::new();
    for summary in &*summaries {
        *names.entry(summary.name.clone()).or_default() += 1;
    }
    for summary in summaries {
        if names.get(&summary.name).is_some_and(|number| *number > 1) {
            summary.name = path(&summary.package, &summary.name, None);
        }
    }
}

/// The summaries of a report, and the errors of benchmarks.
pub(crate) struct Summarized {
    pub(crate) summaries: Vec<Summary>,
    errors: Vec<Error>,
    /// The exit code is independent of the results.
    are_files: bool,
}

impl Summarized {
    /// Returns the exit code of the report, or its errors.
    pub(crate) fn outcome(self) -> Result<CommandOutcome> {
        Error::all(self.errors)?;
        let is_broken = |summary: &Summary| summary.status == Status::Regressed;
        Ok(CommandOutcome::of_comparison(!self.are_files && self.summaries.iter().any(is_broken)))
    }
}

/// Summarizes stored results, or reads the summaries of earlier runs.
pub(crate) fn summarize(options: &ReportArgs) -> Result<Summarized> {
    if options.files.is_empty() {
        let (summaries, errors) = summarize_results(options)?;
        return Ok(Summarized { summaries, errors, are_files: false });
    }
    if options.limits.is_on_command_line {
        return Err(StoredError::LimitsOfFiles.into());
    }
    if let Some(name) = options.files.iter().find_map(|file| name_of_benchmark(file)) {
        return Err(StoredError::NameOfBenchmark { name }.into());
    }
    let summaries = read_summaries(&options.files)?;
    Ok(Summarized { summaries, errors: Vec::new(), are_files: true })
}

/// Returns the name of a missing file if it is like that of a benchmark.
fn name_of_benchmark(file: &Path) -> Option<String> {
    let name = file.to_str()?;
    (name.contains("::") && !file.exists()).then(|| name.to_owned())
}

/// Summarizes stored results as a run with `--load-baseline` does. Returns the errors of benchmarks
/// as well.
fn summarize_results(options: &ReportArgs) -> Result<(Vec<Summary>, Vec<Error>)> {
    let mode = select_mode(&options.results)?;
    let named = |slot: &&Slot| matches!(slot, Slot::Baseline(_));
    let slots: Vec<_> = [&mode.new, &mode.old].into_iter().filter(named).collect();
    let mut selected = find_benchmarks(
        &existing_directory(options.home.path())?,
        &options.results.filters,
        &slots,
    )?;
    leave_out_gone(&mut selected.benchmarks)?;
    let metrics = options.metrics.as_deref();
    let explain =
        StoredExplanations { explainer: StoredExplainer::default(), lines: options.length.lines() };
    let (mut summaries, mut errors) = (Vec::new(), Vec::new());
    let mut measured = Measured::default();
    for benchmark in &selected.benchmarks {
        let mut tools = Vec::new();
        let mut error = None;
        for tool in TOOLS {
            let shown = select_metrics(tool, metrics)?;
            let limits = select_limits(tool, &options.limits)?;
            match compare(tool, benchmark, &mode, &shown, &limits, &explain, &mut measured) {
                Ok(tool) => tools.extend(tool),
                Err(cause) => error = Some(cause),
            }
        }
        let time = benchmark.files.read_time(&mode.new).unwrap_or_else(|cause| {
            error.get_or_insert(cause.into());
            None
        });
        let time = time.map(|time| time.compared_with(mode.old_after_run()));
        let slots = (&mode.new, mode.old_after_run());
        let commits = measured_commits(&benchmark.files, slots, &tools).unwrap_or_else(|cause| {
            errors.push(Error::from(cause).of_benchmark(benchmark.name()));
            None
        });
        if let Some(error) = error {
            summaries.push(summary(benchmark, &mode, Vec::new(), Some(error.to_string())));
            errors.push(error.of_benchmark(benchmark.name()));
        } else if !tools.is_empty() || time.is_some() {
            summaries.push(Summary { time, commits, ..summary(benchmark, &mode, tools, None) });
        }
    }
    measured.note_unused(&options.limits);
    Ok((summaries, errors))
}

/// The explanations of a report.
struct StoredExplanations {
    explainer: StoredExplainer,
    /// Maximum number of lines of each one.
    lines: usize,
}

/// Compares the results of a tool. Returns `None` without a new result.
fn compare(
    tool: &Tool,
    benchmark: &StoredBenchmark,
    mode: &Mode,
    shown: &[MetricKind],
    limits: &Limits,
    explain: &StoredExplanations,
    measured: &mut Measured,
) -> Result<Option<summary::Tool>> {
    let wanted: Vec<_> = shown.iter().copied().chain(limits.kinds()).collect();
    let Some(new) = benchmark.read(tool, &mode.new, &wanted)? else { return Ok(None) };
    measured.add(tool, &new.total);
    let old = benchmark.read(tool, &mode.old, &wanted)?;
    let (files, old) = (&benchmark.files, old.as_ref());
    let regressions = &limits.check(&new.total, old.map(|old| &old.total))[..];
    let tolerance = 0.0;
    let compared =
        Compared { tool, files, mode, shown, tolerance, new: &new, old, limits, regressions };
    let is_equal = |old: &Measurement| old.total.events().eq(new.total.events());
    let explanation = old.filter(|old| !is_equal(old) && tool.has_tables());
    let explanation = explanation.and_then(|old| {
        let slots = [&mode.old, &mode.new];
        explain.explainer.explain_results(tool, benchmark, slots, [old, &new])
    });
    let values = explanation.iter().flatten().flat_map(Explained::machine_values);
    let varies_with = summary_machine_values(&values.collect::<Vec<_>>());
    let explanation = explanation
        .map(|explained| explanation_summary(&benchmark.name(), &explained, explain.lines));
    Ok(Some(summary::Tool { explanation, varies_with, ..compared.summary() }))
}

fn summary(
    benchmark: &StoredBenchmark,
    mode: &Mode,
    tools: Vec<summary::Tool>,
    error: Option<String>,
) -> Summary {
    let has_regressed = tools.iter().any(|tool| !tool.regressions.is_empty());
    let status = match (&error, has_regressed) {
        (Some(_), _) => Status::Failed,
        (None, true) => Status::Regressed,
        (None, false) => Status::Ok,
    };
    let mut summary = Summary {
        version: summary::VERSION,
        runner: VERSION.to_owned(),
        name: benchmark.name(),
        package: benchmark.package.clone(),
        package_dir: None,
        file: benchmark.file.clone(),
        group: benchmark.group.clone(),
        function: Some(benchmark.function.clone()),
        id: benchmark.id.clone(),
        external_id: None,
        size: None,
        label: None,
        arguments: None,
        executable: None,
        target: benchmark.target.clone(),
        baselines: baselines(mode),
        invocation: None,
        status,
        error,
        tools,
        comparisons: Vec::new(),
        growth: None,
        time: None,
        commits: None,
        change: None,
    };
    summary.change = benchmark_change(&summary);
    summary
}
