//! Results of a run: reports them in the order of declaration and compares them with old ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;
use std::ops::{ControlFlow, Range};

use iai_callgrind_compare::{Broken, Regression};
use iai_callgrind_explain::{MachineValue, unseen_value};
use iai_callgrind_plan::metric::{MetricKind, Value};
use iai_callgrind_process::interrupted;
use iai_callgrind_render::chart::Charts;
use iai_callgrind_render::report::{Event, Report, Tally};
use iai_callgrind_results::{
    Benchmark, BenchmarkResult, Collector, ComparedResult, RunId, ToolResult, Totals,
    compare_processes,
};
use iai_callgrind_tools::tool::Measurement;

use super::candidates::Candidates;
use super::explainer::Explainer;
use super::launch::OutcomeReceiver;
use super::note::BenchmarkNote;
use crate::error::{Error, Result};
use crate::failure::Failure;
use crate::note::Note;
use crate::run::Outcome;

/// Largest limit that can be mistaken for a percentage.
const MOST_PERCENT: u64 = 100;

/// Maximum number of instructions of a function without work: a value that the compiler knows, and the return.
const MOST_WITHOUT_WORK: u64 = 3;

/// Stored measurements of each benchmark under each of its tools. Some files can be damaged.
pub(super) type StoredMeasurements = Vec<Vec<Result<Option<Measurement>>>>;

/// The runs of each benchmark.
#[derive(Clone, Copy)]
pub(super) enum Runs<'a> {
    /// Under Valgrind, once or several times.
    Measured(&'a Candidates<'a>),
    /// Once, in an earlier run.
    Loaded,
    /// Once and without Valgrind, with the options of the first tool.
    Native,
}

/// Returns the reason why a benchmark skips itself, if it does.
fn skip_reason(outcome: &Outcome) -> Option<&str> {
    match outcome {
        Err(Error::Failure(Failure::Skipped { reason })) => Some(reason),
        _ => None,
    }
}

/// The outcomes of a benchmark under one of its tools.
struct ToolOutcomes {
    /// The index of the tool in the options of the benchmark.
    tool: usize,
    /// The outcome of each run.
    runs: Vec<Outcome>,
}

/// Collects the outcomes of a run, which arrive in any order.
pub(super) struct Results<'a> {
    benchmarks: &'a [Benchmark],
    runs: Runs<'a>,
    /// Old measurements. A benchmark does not run under a tool whose old files are damaged, because
    /// its files would replace them.
    old: StoredMeasurements,
    /// Explains results; `None` if nothing is explained.
    explainer: Option<Explainer<'a>>,
    report: &'a mut Report,
    pub(super) tally: Tally,
    /// Outcomes of benchmarks that are incomplete or follow an incomplete one.
    waiting: BTreeMap<RunId, Outcome>,
    /// The index of the next benchmark to report.
    next: usize,
    /// The reported benchmarks that later ones are compared with, by group and key.
    compared: HashMap<(usize, &'a str), Vec<(&'a Benchmark, Totals)>>,
    /// The benchmarks that differ only in the size of their input.
    curves: Collector<'a>,
    /// The charts of their growth.
    pub(super) charts: Charts,
    /// Broken limits that can be mistaken for percentages: the metric, and the number.
    small_limits: BTreeSet<(&'static str, u64)>,
    /// The titles of functions without work.
    without_work: BTreeSet<String>,
    /// `Break` when the run must stop.
    pub(super) flow: ControlFlow<()>,
}

impl<'a> Results<'a> {
    /// Creates the results of these benchmarks.
    pub(super) fn new(
        benchmarks: &'a [Benchmark],
        runs: Runs<'a>,
        old: StoredMeasurements,
        explainer: Option<Explainer<'a>>,
        report: &'a mut Report,
    ) -> Self {
        let tally = Tally { selected: benchmarks.len(), ..Tally::default() };
        let (waiting, compared) = (BTreeMap::new(), HashMap::new());
        let (curves, flow) = (Collector::new(benchmarks), ControlFlow::Continue(()));
        Self {
            benchmarks,
            runs,
            old,
            explainer,
            report,
            tally,
            waiting,
            next: 0,
            compared,
            curves,
            charts: Charts::default(),
            small_limits: BTreeSet::new(),
            without_work: BTreeSet::new(),
            flow,
        }
    }

    /// Returns the measurements that a benchmark consists of.
    pub(super) fn ids(&self, benchmark: usize) -> Vec<RunId> {
        self.tools(benchmark).flat_map(|tool| self.ids_under(benchmark, tool)).collect()
    }

    /// Returns the indexes of the tools that a benchmark runs under.
    fn tools(&self, benchmark: usize) -> Range<usize> {
        match self.runs {
            Runs::Native => 0..1,
            _ => 0..self.benchmarks[benchmark].options.tools.len(),
        }
    }

    /// Returns the measurements of a benchmark under one of its tools.
    pub(super) fn ids_under(
        &self,
        benchmark: usize,
        tool: usize,
    ) -> impl Iterator<Item = RunId> + use<> {
        let number = match self.runs {
            _ if self.is_damaged(benchmark, tool) => 0,
            Runs::Measured(candidates) => candidates.samples.number(),
            Runs::Loaded | Runs::Native => 1,
        };
        (0..number).map(move |sample| RunId { benchmark, tool, sample })
    }

    fn is_damaged(&self, benchmark: usize, tool: usize) -> bool {
        self.old.get(benchmark).is_some_and(|tools| tools[tool].is_err())
    }

    /// Shows the progress of the run until [`Self::end`].
    pub(super) fn begin(&mut self) {
        let measurements = (0..self.benchmarks.len()).map(|index| self.ids(index).len()).sum();
        self.report.start_progress(measurements);
        self.announce();
    }

    /// Reports the benchmarks whose results follow.
    pub(super) fn announce(&mut self) {
        let has_old = self.old.iter().flatten().any(|old| matches!(old, Ok(Some(_))));
        self.report.receive(&Event::Selected { benchmarks: self.benchmarks, has_old });
    }

    /// Prints notes about limits that can be mistaken for percentages.
    pub(super) fn note_small_limits(&self) {
        for &(metric, limit) in &self.small_limits {
            Note::SmallLimit { metric, limit }.print();
        }
    }

    /// Prints a note about functions without work.
    pub(super) fn note_without_work(&self) {
        if !self.without_work.is_empty() {
            BenchmarkNote::WithoutWork { titles: &self.without_work }.print();
        }
    }

    /// Reports all benchmarks before the first incomplete one.
    fn report_complete(&mut self) {
        // After a signal, outcomes of finished cases can follow those of cancelled ones
        while !self.is_over() {
            let Some(outcomes) = self.take_complete(self.next) else { break };
            self.flow = self.report(self.next, outcomes);
            self.next += 1;
        }
    }

    /// Reports a failure of a setup or teardown.
    pub(super) fn fail_hook(&mut self, error: &Error) {
        self.tally.hooks_failed += 1;
        self.report.receive(&Event::HookFailed(error));
    }

    /// Records a failure of each benchmark without an outcome, unless the run had to stop.
    pub(super) fn fail_missing(&mut self) {
        let missing: Vec<_> = (self.next..self.benchmarks.len())
            .flat_map(|index| self.ids(index))
            .filter(|id| !self.waiting.contains_key(id))
            .collect();
        for id in missing {
            if !self.is_over() {
                self.record(id, Err(Failure::NoEnd.into()));
            }
        }
        // Those that did not run have no outcome
        self.report_complete();
    }

    /// Ends the progress. After a signal or a limit that ends the run, reports the other stored results, too.
    pub(super) fn end(&mut self) {
        if self.is_over() {
            // Failures can be a consequence of the signal
            let is_reported = |outcomes: &ToolOutcomes| {
                interrupted().is_none() || outcomes.runs.iter().all(Result::is_ok)
            };
            for index in self.next..self.benchmarks.len() {
                let outcomes = self.tools(index).filter_map(|tool| self.take_tool(index, tool));
                let outcomes: Vec<_> = outcomes.filter(is_reported).collect();
                if outcomes.iter().any(|outcomes| !outcomes.runs.is_empty()) {
                    let _ = self.report(index, outcomes);
                }
            }
        }
        self.report.end_progress();
    }

    /// Removes the outcomes of a benchmark if all have arrived.
    fn take_complete(&mut self, benchmark: usize) -> Option<Vec<ToolOutcomes>> {
        if benchmark == self.benchmarks.len() {
            return None;
        }
        let is_complete = self.ids(benchmark).iter().all(|id| self.waiting.contains_key(id));
        let tools = self.tools(benchmark);
        is_complete.then(|| tools.filter_map(|tool| self.take_tool(benchmark, tool)).collect())
    }

    /// Removes the outcomes of a benchmark under a tool if all have arrived.
    fn take_tool(&mut self, benchmark: usize, tool: usize) -> Option<ToolOutcomes> {
        let ids: Vec<_> = self.ids_under(benchmark, tool).collect();
        if !ids.iter().all(|id| self.waiting.contains_key(id)) {
            return None;
        }
        let runs = ids.iter().filter_map(|id| self.waiting.remove(id)).collect();
        Some(ToolOutcomes { tool, runs })
    }

    /// Reports a benchmark. Returns `Break` when the run must stop, such as for a limit that the benchmark exceeds.
    fn report(&mut self, index: usize, outcomes: Vec<ToolOutcomes>) -> ControlFlow<()> {
        let mut all = outcomes.iter().flat_map(|outcomes| &outcomes.runs);
        if all.clone().any(|outcome| matches!(outcome, Err(Error::Interrupted { .. }))) {
            return ControlFlow::Break(());
        }
        let benchmark: &'a Benchmark = &self.benchmarks[index];
        if let Some(reason) = all.find_map(skip_reason) {
            BenchmarkNote::Skipped { title: &benchmark.title_in_text(), reason }.print();
            return ControlFlow::Continue(());
        }
        self.tally.finished += 1;
        // The first error of several runs is enough
        let results = outcomes.into_iter().map(|ToolOutcomes { tool, runs }| {
            let runs = runs.into_iter().collect::<Result<_>>();
            let first = RunId { benchmark: index, tool, sample: 0 };
            (tool, runs.and_then(|runs| self.compare(first, runs)))
        });
        let mut results: Vec<_> = results.collect();
        if results.iter().all(|(_, result)| result.is_err()) {
            self.tally.failed += 1;
            // The tools share the reason, or each has its own: the first one is enough
            if let Some((_, Err(error))) = results.first() {
                self.report.receive(&Event::Failed { benchmark, error });
            }
            return ControlFlow::Continue(());
        }
        let mut compared: Vec<_> = benchmark.options.tools.iter().map(|_| None).collect();
        for (tool, result) in &mut results {
            if let Ok(ToolResult { new, old, regressions, .. }) = result {
                compared[*tool] = Some(ComparedResult { new, old: old.as_ref(), regressions });
            }
        }
        let growth = self.curves.add(index, compared);
        let (mut tools, mut failures) = (Vec::new(), Vec::new());
        for (tool, result) in results {
            match result {
                Ok(result) => tools.push(result),
                Err(cause) => {
                    let tool = benchmark.options.tools[tool].tool.name;
                    failures.push(format!("{tool}: {cause}"));
                }
            }
        }
        let key = benchmark.comparison_key().map(|key| (benchmark.group, key));
        let earlier = key.and_then(|key| self.compared.get(&key)).into_iter().flatten();
        let comparisons = earlier.map(|(other, totals)| (*other, totals)).collect();
        let result = BenchmarkResult { benchmark, tools, failures, comparisons, growth };
        self.report.receive(&Event::Finished(&result));
        if has_no_work(&result) {
            self.without_work.insert(benchmark.title_in_text());
        }
        self.small_limits.extend(result.regressions().filter_map(small_limit));
        let flow = count(&mut self.tally, &result);
        let totals = key.map(|key| (key, result.totals()));
        self.charts.add(result.growth);
        if let Some((key, totals)) = totals {
            self.compared.entry(key).or_default().push((benchmark, totals));
        }
        flow
    }

    /// Stores one of these runs of a benchmark under a tool, compares it with the old result, and explains the difference.
    /// Returns the error of a damaged old result. `first` is the id of the first run.
    fn compare(&mut self, first: RunId, mut runs: Vec<Measurement>) -> Result<ToolResult<'a>> {
        let RunId { benchmark: index, tool, .. } = first;
        let benchmark = &self.benchmarks[index];
        let options = &benchmark.options.tools[tool];
        let old = self.old.get_mut(index).map(|tools| mem::replace(&mut tools[tool], Ok(None)));
        let old = old.transpose()?.flatten();
        let stored = match self.runs {
            Runs::Measured(candidates) => {
                candidates.store(self.ids_under(index, tool), benchmark, &runs)?
            }
            Runs::Loaded | Runs::Native => 0,
        };
        let varies_with = self.varies_with(&runs);
        let tables = runs.iter_mut().map(|run| run.table.take());
        let table = tables.collect::<Vec<_>>().swap_remove(stored);
        let new = runs.remove(stored);
        let regressions = options.limits.check(&new.total, old.as_ref().map(|old| &old.total));
        let names = benchmark.options.processes.as_ref();
        let processes = names.map_or_else(Vec::new, |names| {
            compare_processes(names, &new, old.as_ref(), &options.limits)
        });
        let explanation = None;
        let mut result = ToolResult {
            options,
            new,
            others: runs,
            old,
            regressions,
            processes,
            explanation,
            varies_with,
        };
        let Some(explainer) = &self.explainer else { return Ok(result) };
        let explanation = explainer.explain(first, &result, table);
        if let Some(Ok(explained)) = &explanation {
            let values = explained.machine_values();
            let new = values.into_iter().filter(|value| !result.varies_with.contains(value));
            result.varies_with.extend(new.collect::<Vec<_>>());
        }
        result.explanation = explanation.filter(|_| explainer.is_asked_for(&result));
        Ok(result)
    }

    /// Returns the values of the machine that these runs of a benchmark under a tool asked for, if their counts differ with
    /// the same seed. If they asked for none, their data are left as the reason.
    fn varies_with(&self, runs: &[Measurement]) -> Vec<&'static MachineValue> {
        let Runs::Measured(candidates) = self.runs else { return Vec::new() };
        let of_first_seed = &runs[..candidates.samples.candidates().min(runs.len())];
        let count = |run: &Measurement| run.total.count(MetricKind::Ir);
        if of_first_seed.windows(2).all(|pair| count(&pair[0]) == count(&pair[1])) {
            return Vec::new();
        }
        let values = |run: &Measurement| {
            run.table.as_deref().map_or_else(Vec::new, |table| run.machine_values(table))
        };
        let mut values: Vec<_> = of_first_seed.iter().flat_map(values).collect();
        if values.is_empty() {
            let tables: Vec<_> =
                of_first_seed.iter().filter_map(|run| run.table.as_deref()).collect();
            values.extend(tables.windows(2).filter_map(|pair| unseen_value(pair[0], pair[1])));
        }
        values.sort_by_key(|value| value.name);
        values.dedup();
        values
    }
}

impl OutcomeReceiver for Results<'_> {
    /// Reports that a measurement starts.
    fn start(&mut self, id: RunId) {
        let benchmark = &self.benchmarks[id.benchmark];
        self.report.receive(&Event::Started { id, benchmark });
    }

    /// Records an outcome, and reports all benchmarks before the first incomplete one.
    fn record(&mut self, id: RunId, outcome: Outcome) {
        // A failure after a signal is a consequence of the signal
        let outcome = outcome.map_err(|error| match interrupted() {
            Some(signal) => Error::Interrupted { signal },
            None => error,
        });
        self.waiting.insert(id, outcome);
        self.report_complete();
        self.report.receive(&Event::Ended { id });
    }

    fn report_slow_code(&mut self, finished: &[RunId], next: RunId, location: &str) {
        self.report.receive(&Event::SlowCode { finished, next, location });
    }

    fn is_over(&self) -> bool {
        self.flow.is_break() || interrupted().is_some()
    }
}

/// Returns the metric and the number of a broken limit that may have been meant as a percentage.
fn small_limit(regression: &Regression) -> Option<(&'static str, u64)> {
    match regression.limit {
        Broken::Hard { new: Value::Count(new), limit: Value::Count(limit) } => {
            let is_small = limit <= MOST_PERCENT && new / MOST_PERCENT >= limit;
            is_small.then(|| (regression.kind.name(), limit))
        }
        _ => None,
    }
}

/// Returns true for a function with so few instructions that the compiler must have removed its
/// work. A function without any count, not even the return, switches counting itself.
fn has_no_work(result: &BenchmarkResult<'_>) -> bool {
    let benchmark = result.benchmark;
    let is_function = benchmark.command().is_none() && benchmark.hook.is_none();
    let instructions = |tool: &ToolResult<'_>| tool.new.total.count(MetricKind::Ir);
    let has_few = |count: u64| (1..=MOST_WITHOUT_WORK).contains(&count);
    is_function && result.tools.iter().filter_map(instructions).any(has_few)
}

/// Counts a benchmark unless it failed under all of its tools. Returns `Break` if an exceeded limit
/// ends the run.
fn count(tally: &mut Tally, result: &BenchmarkResult<'_>) -> ControlFlow<()> {
    let mut flow = ControlFlow::Continue(());
    for ToolResult { options, new, old, regressions, processes, .. } in &result.tools {
        if let Some(counts) = &mut tally.counts {
            let name = result.benchmark.name();
            counts.add(&name, options.tool, new, &options.metrics, &options.limits);
        }
        if let Some(old) = old {
            tally.environment.extend(new.environment_changes(old));
            tally.unknown_environments += usize::from(old.fingerprint.is_none());
        }
        for kind in options.limits.kinds() {
            let limited = match kind {
                MetricKind::Allocations | MetricKind::Frees => &mut tally.limited_allocations,
                _ if kind.is_counter() => &mut tally.limited_counters,
                _ => continue,
            };
            *limited.entry(kind.name()).or_default() |= new.total.get(kind).is_some();
        }
        let have_regressed = processes.iter().any(|process| !process.regressions.is_empty());
        if options.fail_fast && (have_regressed || !regressions.is_empty()) {
            flow = ControlFlow::Break(());
        }
    }
    tally.failed += usize::from(!result.errors().is_empty());
    tally.regressed += usize::from(result.has_regressed());
    flow
}
