//! The one loop: old results, launches, new results, comparison, report.

mod alone;
mod case;
mod command;
mod commands;
mod delay;
mod export;
mod fixtures;
mod hooks;
mod launch;
mod libtest;
mod notes;
mod order;
mod programs;
mod result_index;
mod sandbox;
mod schedule;
mod server;
mod stages;
mod test;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use iai_callgrind_plan::ValgrindTool;

pub(crate) use self::export::{Export, draw_stored};
pub(crate) use self::hooks::Hooks;
use self::launch::Launcher;
pub(crate) use self::libtest::test;
use self::programs::Programs;
use self::result_index::ResultIndex;
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::options::ToolOptions;
use crate::output::{OutputDirectory, Slot, settle_imports};
use crate::process::interrupted;
use crate::report::{Finished, Reporter, Tally, ToolResult};
use crate::result::Outcome;
use crate::settings::{Mode, Settings};
use crate::stable_path::StablePath;
use crate::tool::{Capabilities, Measurement, ReadOptions};
use crate::valgrind::{CACHEGRIND_REQUESTS, Valgrind};

/// What each benchmark has in a slot, under each of its tools.
type Stored = Vec<Vec<Option<Measurement>>>;

/// Runs the benchmarks, or loads their results, and reports them in their order.
pub(crate) fn run(
    benchmarks: &[Benchmark],
    executable: String,
    hooks: &Hooks,
    settings: &Settings,
    reporter: &mut dyn Reporter,
) -> Result<Tally> {
    let start = Instant::now();
    notes::idle_tools(&settings.config, benchmarks);
    settle_imports(&settings.home)?;
    let output = OutputDirectory::open(&settings.home, &settings.directory)?;
    let old = load(benchmarks, &settings.mode.old)?;
    check_presence(&settings.mode, &old, &settings.mode.old)?;

    let tally = Tally { selected: benchmarks.len(), ..Tally::default() };
    let by_id = ResultIndex::default();
    let mut results = Results { benchmarks, settings, old, reporter, tally, by_id };
    if !settings.mode.run {
        let new = load(benchmarks, &settings.mode.new)?;
        check_presence(&settings.mode, &new, &settings.mode.new)?;
        let exports = benchmarks.iter().flat_map(|benchmark| {
            let tools = benchmark.options.tools.iter();
            tools.map(|tool| Export::of(benchmark, tool, &settings.mode))
        });
        draw_stored(exports, &output)?;
        results.report_loaded(new);
    } else if !benchmarks.is_empty() {
        let valgrind = Valgrind::find(settings.valgrind.as_deref())?;
        let executable = Executable::open(executable)?;
        notes::stripped(&executable, benchmarks);
        let linked = output.staging()?;
        let link = if settings.isolation.own_path {
            StablePath::none(&executable)
        } else {
            StablePath::create(&executable, linked.path())
        };
        let capabilities = capabilities(&executable, &valgrind, benchmarks);
        let own_paths = settings.isolation.own_path;
        let programs = Programs::new(Path::new(&executable.path), own_paths);
        let launcher = Launcher {
            benchmarks,
            settings,
            executable: &executable,
            link: &link,
            programs,
            valgrind,
            capabilities,
            output: &output,
        };
        match run_all(&launcher, hooks, &mut results) {
            // What has ended until then is told
            Err(Error::Interrupted { .. }) => {}
            ended => ended?,
        }
    }
    results.tally.interrupted = interrupted();
    results.tally.seconds = start.elapsed().as_secs_f64();
    Ok(results.tally)
}

/// Runs the benchmarks between the set-up and the tear-down of the file.
fn run_all(launcher: &Launcher<'_>, hooks: &Hooks, results: &mut Results<'_, '_>) -> Result<()> {
    hooks.set_up(None, None)?;
    let mut failures =
        stages::run(launcher, hooks, &mut |index, outcomes| results.report(index, outcomes))?;
    // Nothing new starts after a signal
    if interrupted().is_none() {
        failures.extend(hooks.tear_down(None, None).err());
    }
    results.tally.hooks_failed = failures.len();
    for error in &failures {
        results.reporter.hook_failure(error);
    }
    Ok(())
}

/// What this executable and this Valgrind make possible. Valgrind is only asked if that matters.
fn capabilities(
    executable: &Executable,
    valgrind: &Valgrind,
    benchmarks: &[Benchmark],
) -> Capabilities {
    let mut tools = benchmarks.iter().flat_map(|benchmark| &benchmark.options.tools);
    let has_cachegrind = tools.any(|options| options.tool.kind == ValgrindTool::Cachegrind);
    let cachegrind_requests = has_cachegrind && valgrind.is_at_least(CACHEGRIND_REQUESTS);
    if has_cachegrind && !cachegrind_requests {
        eprintln!(
            "note: under cachegrind the whole process counts, with the harness, set-up and tear-down: \
             Valgrind 3.22 is the first one that tells them from the benchmark function"
        );
    }
    Capabilities { has_symbols: executable.has_symbols, cachegrind_requests }
}

/// Where the outcomes come together, in the order of the benchmarks.
struct Results<'a, 'b> {
    benchmarks: &'a [Benchmark],
    settings: &'a Settings,
    /// What each benchmark is compared with.
    old: Stored,
    reporter: &'b mut dyn Reporter,
    tally: Tally,
    by_id: ResultIndex<'a>,
}

impl<'a> Results<'a, '_> {
    /// Reports what a benchmark ended with. Breaks if the run shall end.
    fn report(&mut self, index: usize, outcomes: Vec<Outcome>) -> ControlFlow<()> {
        let measured = match outcomes.into_iter().collect::<Result<Vec<_>>>() {
            Err(Error::Interrupted { .. }) => return ControlFlow::Break(()),
            measured => measured,
        };
        self.tally.finished += 1;
        match measured {
            Ok(measured) => self.finished(index, &measured),
            Err(error) => {
                self.tally.failed += 1;
                self.reporter.failure(&self.benchmarks[index], &error);
                ControlFlow::Continue(())
            }
        }
    }

    /// Reports what was measured: for each tool as much as there are seeds.
    fn finished(&mut self, index: usize, measured: &[Measurement]) -> ControlFlow<()> {
        let benchmark: &'a Benchmark = &self.benchmarks[index];
        let tools = &benchmark.options.tools;
        let seeds = measured.len() / tools.len();
        let results: Vec<_> = tools
            .iter()
            .zip(measured.chunks(seeds))
            .zip(&self.old[index])
            .map(|((options, seeds), old)| {
                let old_total = old.as_ref().map(|old| &old.total);
                let regressions = options.limits.check(&seeds[0].total, old_total);
                ToolResult { options, seeds, old: old.as_ref(), regressions }
            })
            .collect();
        let comparisons = &*self.by_id.earlier(benchmark);
        self.reporter.result(&Finished { benchmark, tools: &results, comparisons });
        let mut errors = results.iter().filter_map(ToolResult::errors).peekable();
        self.tally.failed += usize::from(errors.peek().is_some());
        errors.for_each(|error| self.reporter.failure(benchmark, &error));

        let has_regressed = |result: &ToolResult<'_>| !result.regressions.is_empty();
        let ends = results.iter().any(|it| has_regressed(it) && it.options.fail_fast);
        self.tally.regressed += usize::from(results.iter().any(has_regressed));
        self.by_id.push(benchmark, || {
            results.iter().map(|it| (it.options.tool.name, it.kept().total.clone())).collect()
        });
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Reports results of an earlier run.
    fn report_loaded(&mut self, loaded: Stored) {
        for (index, tools) in loaded.into_iter().enumerate() {
            let outcome = |counted: Option<Measurement>| {
                counted.ok_or_else(|| not_in(&self.settings.mode.new))
            };
            let outcomes = tools.into_iter().map(outcome).collect();
            if self.report(index, outcomes).is_break() {
                break;
            }
        }
    }
}

/// What the benchmarks have in this slot. A damaged file is an error before anything runs.
fn load(benchmarks: &[Benchmark], slot: &Slot) -> Result<Stored> {
    let load = |benchmark: &Benchmark| {
        let load = |options: &ToolOptions| {
            let stored = benchmark.files.existing(options.tool, slot);
            let reading = ReadOptions { options: Some(&options.launch), wanted: &options.wanted() };
            stored.map(|stored| (options.tool.read)(&stored, &reading)).transpose()
        };
        benchmark.options.tools.iter().map(load).collect()
    };
    benchmarks.iter().map(load).collect()
}

/// A baseline that none of the benchmarks has is a mistake. One that some of them lack is not: they
/// may be newer than it.
fn check_presence(mode: &Mode, found: &Stored, slot: &Slot) -> Result<()> {
    let Slot::Baseline(name) = slot else { return Ok(()) };
    let is_written_by_this_run = mode.run && mode.new == *slot;
    let is_there = found.iter().flatten().any(Option::is_some);
    if is_written_by_this_run || found.is_empty() || is_there {
        return Ok(());
    }
    Err(Error::Baseline(format!(
        "there is no baseline `{name}` of these benchmarks.\nSave one with \
         `cargo bench -- --save-baseline={name}`"
    )))
}

fn not_in(slot: &Slot) -> Error {
    Error::Case(format!("it is not in the baseline `{}`", slot.name()))
}
