//! The one loop: old results, launches, new results, comparison, report.

mod by_id;
mod case;
mod launch;
mod server;

use std::ops::ControlFlow;
use std::time::Instant;

use self::by_id::ById;
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::metric::{EventKind, Metrics};
use crate::output::{OutputDirectory, Slot};
use crate::report::{Finished, Reporter, Tally};
use crate::settings::{Mode, Settings};
use crate::tool::Tool;
use crate::tool::callgrind::CALLGRIND;

/// What a benchmark ended with.
pub(crate) type Outcome = Result<Measured>;

/// What came of a benchmark that did not fail.
#[derive(Debug)]
pub(crate) struct Measured {
    /// What was counted.
    pub(crate) metrics: Metrics,
    /// What it printed, as far as that is to be shown; none if nothing is.
    pub(crate) output: Option<Vec<u8>>,
}

/// Runs the benchmarks, or loads their results, and reports them in their order.
pub(crate) fn run(
    benchmarks: &[Benchmark],
    executable: &str,
    settings: &Settings,
    reporter: &mut dyn Reporter,
) -> Result<Tally> {
    let start = Instant::now();
    let output = OutputDirectory::open(&settings.directory)?;
    let tool = &CALLGRIND;
    let wanted = settings.wanted();
    let old = load(benchmarks, tool, &settings.mode.old, &wanted)?;
    check_presence(&settings.mode, &old, &settings.mode.old)?;

    let (tally, by_id) = (Tally::default(), ById::default());
    let mut results = Results { benchmarks, settings, old, reporter, tally, by_id };
    if settings.mode.run {
        let executable = Executable::open(executable.to_owned())?;
        let mut pass = |index, outcome| results.report(index, outcome);
        let mut outcomes = InOrder::new(&mut pass);
        launch::run(benchmarks, tool, &executable, settings, &output, &mut outcomes)?;
    } else {
        let new = load(benchmarks, tool, &settings.mode.new, &wanted)?;
        check_presence(&settings.mode, &new, &settings.mode.new)?;
        results.report_loaded(new);
    }
    results.tally.seconds = start.elapsed().as_secs_f64();
    Ok(results.tally)
}

/// Where the outcomes come together, in the order of the benchmarks.
struct Results<'a> {
    benchmarks: &'a [Benchmark],
    settings: &'a Settings,
    /// What each benchmark is compared with.
    old: Vec<Option<Metrics>>,
    reporter: &'a mut dyn Reporter,
    tally: Tally,
    by_id: ById<'a>,
}

impl Results<'_> {
    /// Reports what a benchmark ended with. Breaks if the run shall end.
    fn report(&mut self, index: usize, outcome: Outcome) -> ControlFlow<()> {
        self.tally.finished += 1;
        match outcome {
            Ok(new) => self.finished(index, new),
            Err(error) => {
                self.tally.failed += 1;
                self.reporter.failure(&self.benchmarks[index], &error);
                ControlFlow::Continue(())
            }
        }
    }

    fn finished(&mut self, index: usize, new: Measured) -> ControlFlow<()> {
        let (benchmark, old) = (&self.benchmarks[index], self.old[index].as_ref());
        let regressions = &*self.settings.limits.check(&new.metrics, old);
        let comparisons = &*self.by_id.earlier(benchmark);
        self.reporter.result(&Finished {
            benchmark,
            new: &new,
            old,
            shown: &self.settings.metrics,
            tolerance: self.settings.tolerance,
            regressions,
            comparisons,
        });
        self.by_id.push(benchmark, new.metrics);
        if regressions.is_empty() {
            return ControlFlow::Continue(());
        }
        self.tally.regressed += 1;
        if self.settings.fail_fast { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Reports results of an earlier run.
    fn report_loaded(&mut self, loaded: Vec<Option<Metrics>>) {
        for (index, metrics) in loaded.into_iter().enumerate() {
            let new = metrics.map(|metrics| Measured { metrics, output: None });
            let outcome = new.ok_or_else(|| not_in(&self.settings.mode.new));
            if self.report(index, outcome).is_break() {
                break;
            }
        }
    }
}

/// What the benchmarks have in this slot. A damaged file is an error before anything runs.
fn load(
    benchmarks: &[Benchmark],
    tool: &Tool,
    slot: &Slot,
    wanted: &[EventKind],
) -> Result<Vec<Option<Metrics>>> {
    let load = |benchmark: &Benchmark| {
        let path = benchmark.files.existing(tool.name, "out", slot);
        path.map(|path| (tool.read)(&path, wanted)).transpose()
    };
    benchmarks.iter().map(load).collect()
}

/// A baseline that none of the benchmarks has is a mistake. One that some of them lack is not: they
/// may be newer than it.
fn check_presence(mode: &Mode, found: &[Option<Metrics>], slot: &Slot) -> Result<()> {
    let Slot::Baseline(name) = slot else { return Ok(()) };
    let is_written_by_this_run = mode.run && mode.new == *slot;
    if is_written_by_this_run || found.is_empty() || found.iter().any(Option::is_some) {
        return Ok(());
    }
    Err(Error::Baseline(format!(
        "there is no baseline `{name}` of these benchmarks.\nSave one with \
         `cargo bench -- --save-baseline={name}`"
    )))
}

fn not_in(slot: &Slot) -> Error {
    let Slot::Baseline(name) = slot else { return Error::Case("it has no result".to_owned()) };
    Error::Case(format!("it is not in the baseline `{name}`"))
}

/// Passes outcomes on in the order of the benchmarks, whichever comes first.
pub(crate) struct InOrder<'a> {
    next: usize,
    waiting: std::collections::BTreeMap<usize, Outcome>,
    pass: &'a mut dyn FnMut(usize, Outcome) -> ControlFlow<()>,
}

impl<'a> InOrder<'a> {
    fn new(pass: &'a mut dyn FnMut(usize, Outcome) -> ControlFlow<()>) -> Self {
        Self { next: 0, waiting: std::collections::BTreeMap::new(), pass }
    }

    /// Takes the outcome of the benchmark with this index. Breaks if the run shall end.
    pub(crate) fn push(&mut self, index: usize, outcome: Outcome) -> ControlFlow<()> {
        self.waiting.insert(index, outcome);
        while let Some(outcome) = self.waiting.remove(&self.next) {
            (self.pass)(self.next, outcome)?;
            self.next += 1;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_pass_in_order() {
        let mut passed = Vec::new();
        let mut pass = |index, _: Outcome| {
            passed.push(index);
            if index == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut order = InOrder::new(&mut pass);
        let pushed = [2, 0, 3, 1].map(|index| order.push(index, Err(Error::NoValgrind)).is_break());
        assert_eq!(pushed, [false, false, false, true]);
        assert_eq!(passed, [0, 1, 2], "nothing after the one that ends the run");
    }
}
