//! Results of a run: reports them in the order of declaration and compares them with old ones.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use iai_callgrind_plan::metric::{MetricKind, Metrics};

use super::candidates::Candidates;
use super::explainer::Explainer;
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::growth::{Charts, Collector, ComparedResult, Growth};
use crate::output::Slot;
use crate::process::interrupted;
use crate::report::{Event, Report, Tally};
use crate::result::{BenchmarkResult, Outcome, RunId, RunResult, Totals};
use crate::samples::Samples;
use crate::tool::Measurement;

/// The stored measurements of each benchmark under each of its tools.
pub(super) type StoredMeasurements = Vec<Vec<Option<Measurement>>>;

/// The runs of each benchmark.
#[derive(Clone, Copy)]
pub(super) enum Runs<'a> {
    /// Under Valgrind. The files of `candidates` are not stored yet.
    Measured { samples: &'a Samples, candidates: Option<&'a Candidates>, slot: &'a Slot },
    /// Once, in an earlier run.
    Loaded,
    /// Once and without Valgrind, with the options of the first tool.
    Native,
}

/// Collects the outcomes of a run, which come in any order.
pub(super) struct Results<'a> {
    benchmarks: &'a [Benchmark],
    runs: Runs<'a>,
    old: StoredMeasurements,
    /// Explains results; `None` if nothing is explained.
    explainer: Option<Explainer<'a>>,
    report: &'a mut Report,
    pub(super) tally: Tally,
    /// Outcomes whose benchmark is incomplete or follows an incomplete one.
    waiting: BTreeMap<RunId, Outcome>,
    /// The index of the next benchmark to report.
    next: usize,
    /// The reported benchmarks that later ones are compared with, by group and key.
    compared: HashMap<(usize, &'a str), Vec<(&'a Benchmark, Totals)>>,
    /// The benchmarks that differ only in the size of their input.
    curves: Collector<'a>,
    /// The charts of their growth.
    charts: Charts,
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
            flow,
        }
    }

    /// Returns the measurements that a benchmark consists of.
    pub(super) fn ids(&self, benchmark: usize) -> Vec<RunId> {
        let tools = match self.runs {
            Runs::Native => 1,
            _ => self.benchmarks[benchmark].options.tools.len(),
        };
        (0..tools).flat_map(|tool| self.ids_under(benchmark, tool)).collect()
    }

    /// Returns the measurements of a benchmark under one of its tools.
    pub(super) fn ids_under(
        &self,
        benchmark: usize,
        tool: usize,
    ) -> impl Iterator<Item = RunId> + use<> {
        let number = match self.runs {
            Runs::Measured { samples, .. } => samples.number(),
            Runs::Loaded | Runs::Native => 1,
        };
        (0..number).map(move |sample| RunId { benchmark, tool, sample })
    }

    /// Shows the progress of the run until [`Self::end`].
    pub(super) fn begin(&mut self) {
        let measurements = (0..self.benchmarks.len()).map(|index| self.ids(index).len()).sum();
        self.report.start_progress(measurements);
    }

    /// Reports that a measurement starts.
    pub(super) fn start(&mut self, id: RunId) {
        let benchmark = &self.benchmarks[id.benchmark];
        self.report.receive(&Event::Started { id, benchmark });
    }

    /// Reports that the code at this `place` of the file, before `next`, takes long.
    pub(super) fn pass(&mut self, over: &[RunId], next: RunId, place: &str) {
        self.report.receive(&Event::Between { over, next, place });
    }

    /// Records an outcome, and reports the benchmarks that are complete up to the first incomplete one.
    pub(super) fn record(&mut self, id: RunId, outcome: Outcome) {
        if self.flow.is_continue() {
            // A failure after a signal is a consequence of the signal
            let outcome = outcome.map_err(|error| match interrupted() {
                Some(signal) => Error::Interrupted { signal },
                None => error,
            });
            self.waiting.insert(id, outcome);
        }
        while self.flow.is_continue() {
            let Some(outcomes) = self.take_complete(self.next) else { break };
            self.flow = self.report(self.next, outcomes);
            self.next += 1;
        }
        self.report.receive(&Event::Ended { id });
    }

    /// Writes the charts of the growth next to the results.
    pub(super) fn write_charts(&self) -> Result<()> {
        self.charts.write()
    }

    /// Reports a failure of a setup or teardown.
    pub(super) fn fail_hook(&mut self, error: &Error) {
        self.tally.hooks_failed += 1;
        self.report.receive(&Event::HookFailed(error));
    }

    /// Ends the progress. After a signal, reports the benchmarks that are complete though earlier ones are
    /// not.
    pub(super) fn end(&mut self) {
        if interrupted().is_some() {
            for index in self.next..self.benchmarks.len() {
                if let Some(outcomes) = self.take_complete(index) {
                    if outcomes.iter().all(|(_, outcome)| outcome.is_ok()) {
                        let _ = self.report(index, outcomes);
                    }
                }
            }
        }
        self.report.end_progress();
    }

    /// Removes the outcomes of a benchmark if all of them are there.
    fn take_complete(&mut self, benchmark: usize) -> Option<Vec<(RunId, Outcome)>> {
        if benchmark == self.benchmarks.len() {
            return None;
        }
        let ids = self.ids(benchmark);
        let is_complete = ids.iter().all(|id| self.waiting.contains_key(id));
        let mut take = |id| Some((id, self.waiting.remove(&id)?));
        is_complete.then(|| ids.into_iter().filter_map(&mut take).collect())
    }

    /// Reports a benchmark. Returns `Break` when the run must stop.
    fn report(&mut self, index: usize, outcomes: Vec<(RunId, Outcome)>) -> ControlFlow<()> {
        let (mut measured, mut failures) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::new());
        for (id, outcome) in outcomes {
            match outcome {
                Ok(new) => measured.entry(id.tool).or_default().push((id, new)),
                Err(Error::Interrupted { .. }) => return ControlFlow::Break(()),
                // The first error of several runs is enough
                Err(error) => drop(failures.entry(id.tool).or_insert(error)),
            }
        }
        self.tally.finished += 1;
        measured.retain(|tool, _| !failures.contains_key(tool));
        let mut results = Vec::new();
        for (tool, mut samples) in measured {
            match self.store(&mut samples) {
                Ok(()) => results.extend(self.compare(samples)),
                Err(error) => drop(failures.insert(tool, error)),
            }
        }
        let benchmark = &self.benchmarks[index];
        if results.is_empty() {
            self.tally.failed += 1;
            // The tools have the reason in common, or each its own: the first one is enough
            if let Some(error) = failures.into_values().next() {
                self.report.receive(&Event::Failed { benchmark, error: &error });
            }
            return ControlFlow::Continue(());
        }
        let failures = failures.into_iter().map(|(tool, cause)| Error::UnderTool {
            tool: benchmark.options.tools[tool].tool.name,
            cause: Box::new(cause),
        });
        let growth = self.curves.add(index, stored(&results));
        for metric in growth.iter().flat_map(|growth| &growth.metrics) {
            let tool = |result: &RunResult| benchmark.options.tools[result.id.tool].tool.name;
            if let Some(stored) = results.iter_mut().find(|result| tool(result) == metric.tool) {
                stored.regressions.extend(metric.regressions.iter().cloned());
            }
        }
        let flow = self.finish(index, &results, &failures.collect::<Vec<_>>(), growth.as_ref());
        self.charts.add(growth);
        flow
    }

    /// Stores the run in the middle of those under one tool that can be stored, and puts it in front of the others.
    fn store(&self, samples: &mut [(RunId, Measurement)]) -> Result<()> {
        let Runs::Measured { samples: all, candidates: Some(candidates), slot } = self.runs else {
            return Ok(());
        };
        let RunId { benchmark, tool, .. } = samples[0].0;
        let benchmark = &self.benchmarks[benchmark];
        let options = &benchmark.options.tools[tool];
        let total = |index: usize| &samples[index].1.total;
        let mut kept: Vec<_> = (0..all.candidates().min(samples.len())).collect();
        kept.sort_by(|&left, &right| compare(total(left), total(right), &options.metrics));
        let middle = kept[(kept.len() - 1) / 2];
        samples[..=middle].rotate_right(1);
        if let Some(files) = candidates.take(samples[0].0) {
            benchmark.files.place(options.tool, &files, slot)?;
        }
        for (id, _) in samples {
            candidates.discard(*id);
        }
        Ok(())
    }

    /// Compares the first of these runs under one tool with the old result, and explains the difference.
    fn compare(&self, samples: Vec<(RunId, Measurement)>) -> Vec<RunResult> {
        let mut results: Vec<_> = samples
            .into_iter()
            .map(|(id, new)| RunResult {
                id,
                new,
                old: None,
                regressions: Vec::new(),
                explanation: None,
            })
            .collect();
        if let Some(stored) = results.first_mut() {
            let RunId { benchmark, tool, .. } = stored.id;
            stored.old = self.old.get(benchmark).and_then(|tools| tools[tool].clone());
            let limits = &self.benchmarks[benchmark].options.tools[tool].limits;
            let old = stored.old.as_ref().map(|old| &old.total);
            stored.regressions = limits.check(&stored.new.total, old);
        }
        let explainer = self.explainer.as_ref();
        let explanation = explainer.and_then(|explainer| explainer.explain(&results));
        if let Some(stored) = results.first_mut() {
            stored.explanation = explanation;
        }
        results
    }

    /// Reports a benchmark that did not fail under all of its tools. Returns `Break` if a limit that it
    /// exceeds ends the run.
    fn finish(
        &mut self,
        index: usize,
        results: &[RunResult],
        failures: &[Error],
        growth: Option<&Growth>,
    ) -> ControlFlow<()> {
        let benchmark: &'a Benchmark = &self.benchmarks[index];
        let key = benchmark.comparison_key().map(|key| (benchmark.group, key));
        let earlier = key.and_then(|key| self.compared.get(&key)).into_iter().flatten();
        let comparisons = earlier.map(|(other, totals)| (*other, totals)).collect();
        let result = BenchmarkResult { benchmark, results, failures, comparisons, growth };
        self.report.receive(&Event::Finished(&result));

        for tool in result.tools() {
            let RunResult { new, old: Some(old), .. } = tool.stored else { continue };
            self.tally.environment.extend(new.environment_changes(old));
            self.tally.unknown_environments += usize::from(old.fingerprint.is_none());
        }
        for tool in result.tools() {
            for kind in tool.options.limits.kinds().filter(|kind| kind.is_counter()) {
                let is_reported = tool.stored.new.total.get(kind).is_some();
                *self.tally.limited_counters.entry(kind.name()).or_default() |= is_reported;
            }
        }
        let has_regressed = result.regressions().next().is_some();
        let is_last = result
            .tools()
            .any(|tool| tool.options.fail_fast && !tool.stored.regressions.is_empty());
        self.tally.failed += usize::from(!result.errors().is_empty());
        self.tally.regressed += usize::from(has_regressed);
        if let Some(key) = key {
            let totals =
                result.tools().map(|tool| (tool.options.tool.name, tool.stored.new.total.clone()));
            let totals = totals.collect();
            self.compared.entry(key).or_default().push((benchmark, totals));
        }
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Returns the stored results, the first under each tool.
fn stored(results: &[RunResult]) -> impl Iterator<Item = ComparedResult<'_>> {
    let tools = results.chunk_by(|left, right| left.id.tool == right.id.tool);
    tools.map(|samples| {
        let RunResult { id, new, old, .. } = &samples[0];
        ComparedResult { tool: id.tool, new, old: old.as_ref() }
    })
}

/// Compares totals by the first of these metrics that they have.
fn compare(left: &Metrics, right: &Metrics, kinds: &[MetricKind]) -> Ordering {
    let value = |total: &Metrics| total.lines_of(kinds).next().map(|(_, value)| value);
    match (value(left), value(right)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        _ => Ordering::Equal,
    }
}
