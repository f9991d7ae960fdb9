//! Results of a run: reports them in the order of declaration and compares them with old ones.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use crate::benchmark::Benchmark;
use crate::error::Error;
use crate::process::interrupted;
use crate::report::{Event, Report, Tally};
use crate::result::{BenchmarkResult, Outcome, RunId, RunResult, Totals};
use crate::tool::Measurement;

/// The stored measurements of each benchmark under each of its tools.
pub(super) type StoredMeasurements = Vec<Vec<Option<Measurement>>>;

/// Collects the outcomes of a run, which come in any order.
pub(super) struct Results<'a> {
    benchmarks: &'a [Benchmark],
    /// Number of seeds, 0 if commands run natively and only under the first tool.
    seeds: usize,
    old: StoredMeasurements,
    report: &'a mut Report,
    pub(super) tally: Tally,
    /// Outcomes whose benchmark is incomplete or follows an incomplete one.
    waiting: BTreeMap<RunId, Outcome>,
    /// The index of the next benchmark to report.
    next: usize,
    /// The reported benchmarks that later ones are compared with, by group and id.
    by_id: HashMap<(usize, &'a str), Vec<(&'a Benchmark, Totals)>>,
    /// `Break` when the run must stop.
    pub(super) flow: ControlFlow<()>,
}

impl<'a> Results<'a> {
    /// Creates the results of a run under Valgrind.
    pub(super) fn new(
        benchmarks: &'a [Benchmark],
        seeds: usize,
        old: StoredMeasurements,
        report: &'a mut Report,
    ) -> Self {
        let tally = Tally { selected: benchmarks.len(), ..Tally::default() };
        let (waiting, by_id) = (BTreeMap::new(), HashMap::new());
        let flow = ControlFlow::Continue(());
        Self { benchmarks, seeds, old, report, tally, waiting, next: 0, by_id, flow }
    }

    /// Creates the results of a native run.
    pub(super) fn of_native_run(benchmarks: &'a [Benchmark], report: &'a mut Report) -> Self {
        Self::new(benchmarks, 0, Vec::new(), report)
    }

    /// Returns the measurements that a benchmark consists of.
    pub(super) fn ids(&self, benchmark: usize) -> Vec<RunId> {
        let tools =
            if self.seeds == 0 { 1 } else { self.benchmarks[benchmark].options.tools.len() };
        (0..tools).flat_map(|tool| self.ids_under(benchmark, tool)).collect()
    }

    /// Returns the measurements of a benchmark under one of its tools.
    pub(super) fn ids_under(
        &self,
        benchmark: usize,
        tool: usize,
    ) -> impl Iterator<Item = RunId> + use<> {
        (0..self.seeds.max(1)).map(move |seed| RunId { benchmark, tool, seed })
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
        let (mut results, mut failures) = (Vec::new(), BTreeMap::new());
        for (id, outcome) in outcomes {
            match outcome {
                Ok(new) => results.push(self.compare(id, new)),
                Err(Error::Interrupted { .. }) => return ControlFlow::Break(()),
                // Under several seeds the first error is enough
                Err(error) => drop(failures.entry(id.tool).or_insert(error)),
            }
        }
        self.tally.finished += 1;
        results.retain(|result| !failures.contains_key(&result.id.tool));
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
        self.finish(index, &results, &failures.collect::<Vec<_>>())
    }

    /// Compares a measurement with the old one if it is the one that is stored.
    fn compare(&self, id: RunId, new: Measurement) -> RunResult {
        let RunId { benchmark, tool, .. } = id;
        let old = self.old.get(benchmark).and_then(|tools| tools[tool].clone());
        let old = old.filter(|_| id.is_stored());
        let limits = &self.benchmarks[benchmark].options.tools[tool].limits;
        let regressions = if id.is_stored() {
            limits.check(&new.total, old.as_ref().map(|old| &old.total))
        } else {
            Vec::new()
        };
        RunResult { id, new, old, regressions }
    }

    /// Reports a benchmark that did not fail under all of its tools. Returns `Break` if a limit that it
    /// exceeds ends the run.
    fn finish(
        &mut self,
        index: usize,
        results: &[RunResult],
        failures: &[Error],
    ) -> ControlFlow<()> {
        let benchmark: &'a Benchmark = &self.benchmarks[index];
        let key = benchmark.id.as_deref().filter(|_| benchmark.is_compared);
        let key = key.map(|id| (benchmark.group, id));
        let earlier = key.and_then(|key| self.by_id.get(&key)).into_iter().flatten();
        let comparisons = earlier.map(|(other, totals)| (*other, totals)).collect();
        let result = BenchmarkResult { benchmark, results, failures, comparisons };
        self.report.receive(&Event::Finished(&result));

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
            self.by_id.entry(key).or_default().push((benchmark, totals));
        }
        if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
