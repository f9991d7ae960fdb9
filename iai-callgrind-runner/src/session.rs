//! A session: one run of the benchmarks of a plan, from its options to its outcome.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use iai_callgrind_base::{FileError, console, note::plural};
use iai_callgrind_cli::settings::{LimitSource, Settings};
use iai_callgrind_cli::{Bench, ListFormat, measuring_arguments};
use iai_callgrind_commands::HookCommands;
use iai_callgrind_history as history;
use iai_callgrind_launch::Executor;
use iai_callgrind_plan::Plan;
use iai_callgrind_process::watch;
use iai_callgrind_render::page::prepare;
use iai_callgrind_render::report::{Context, Report, Tally, print_written};
use iai_callgrind_results::Benchmark;
use iai_callgrind_revisions::{MeasuringArguments, OtherSide};
use iai_callgrind_store::Slot;

use crate::against::other_side;
use crate::checks::{check, compare_snapshot, note_limits_without_effect, read_snapshot};
use crate::error::Result;
use crate::note::Note;
use crate::outcome::CommandOutcome;
use crate::resolve::{Selection, select, selected};
use crate::run::{Hooks, NewTimes, ProfiledFile, TimedFile};
use crate::{declared, page, run, shard};

/// The selected benchmarks of a plan with everything that their run needs.
struct Session<'a> {
    plan: &'a Plan,
    settings: Settings,
    hooks: Hooks,
    benchmarks: Vec<Benchmark>,
    /// Number of benchmarks that filters leave out.
    filtered_out: usize,
    /// The other revision, if the benchmarks are timed on both sides.
    other: Option<OtherSide<'a>>,
}

/// Runs the benchmarks of a plan. Without a benchmark executable, these commands are its hooks.
pub(crate) fn run(
    plan: &Plan,
    hooks: HookCommands,
    options: Bench,
    executor: &dyn Executor,
) -> Result<CommandOutcome> {
    let list = options.selection.list.then_some(options.selection.format);
    let mut settings = options.settings(plan)?;
    settings.adapt_to_stdout();
    // SAFETY: no other thread runs yet.
    let _watch = unsafe { watch() }?;
    if let Some(format) = list {
        let benchmarks = shard::select(selected(plan.clone(), &settings)?, &settings)?;
        FileError::of_output(print_names(&benchmarks, format))?;
        return Ok(CommandOutcome::Success);
    }
    let mut session = Session::new(plan, hooks, settings)?;
    session.learn_limits()?;
    session.leave_unselected_reports();
    match session.settings.profile_time {
        Some(duration) => session.profile(duration),
        None => session.measure(executor),
    }
}

impl<'a> Session<'a> {
    /// Measures the other revision, and selects the benchmarks.
    fn new(plan: &'a Plan, hooks: HookCommands, mut settings: Settings) -> Result<Self> {
        if settings.record {
            history::check_repository(Path::new(&plan.package_dir))?;
        }
        let mut other = other_side(plan, &settings, arguments)?;
        if let Some(other) = &mut other {
            settings.mode.old = other.measure()?;
        }
        // The times need its build. Other runs wait for the work tree until then
        let other = other.filter(|_| settings.time.is_some());
        let hooks = Hooks::of_plan(plan, hooks, &settings);
        let Selection { benchmarks, filtered_out } = select(plan.clone(), &settings)?;
        let benchmarks = shard::select(benchmarks, &settings)?;
        compare_first_baseline(&mut settings, &benchmarks);
        Ok(Self { plan, settings, hooks, benchmarks, filtered_out, other })
    }

    /// Learns the limits of the benchmarks from other layouts and from recorded commits, if the user wants it.
    fn learn_limits(&mut self) -> Result<()> {
        let Self { plan, settings, hooks, benchmarks, other, .. } = self;
        if let Some(number) = settings.counted_layouts {
            other.iter_mut().for_each(OtherSide::release);
            run::learn_from_layouts(benchmarks, plan, settings, &arguments(), number)?;
        }
        if settings.limit == Some(LimitSource::Auto) {
            history::learn_limits(benchmarks, &settings.home, &hooks.package)?;
        }
        Ok(())
    }

    /// Keeps the reports of other benchmark files if a filter has no match here.
    fn leave_unselected_reports(&mut self) {
        let settings = &mut self.settings;
        if self.benchmarks.is_empty() {
            settings.reports.in_files.clear();
            settings.reports.pages.clear();
            settings.snapshot = settings.snapshot.filter(|_| settings.selects_all());
        }
    }

    /// Repeats the benchmarks natively for a profiler.
    fn profile(self, duration: Duration) -> Result<CommandOutcome> {
        let Self { plan, settings, hooks, benchmarks, .. } = self;
        let file = ProfiledFile { benchmarks: &benchmarks, hooks: &hooks, settings: &settings };
        Ok(CommandOutcome::of_run(&file.run(plan, duration)?))
    }

    /// Counts or times the benchmarks, and reports, checks and publishes the results.
    fn measure(mut self, executor: &dyn Executor) -> Result<CommandOutcome> {
        let other = self.other.take();
        let Self { plan, settings, hooks, benchmarks, filtered_out, .. } = &self;
        settings.reports.pages.iter().try_for_each(|directory| prepare(directory))?;
        // Before anything runs, so that a damaged snapshot is an error at once
        let snapshot = read_snapshot(settings, &hooks.package, &plan.file)?;
        note_perf(benchmarks, settings.time.is_some());
        let options = settings.report_options();
        let mut report = Report::of_run(Context::new(plan, &options), &options)?;
        let executable = plan.executable.as_ref().map(|executable| executable.path.clone());
        let mut new_times = NewTimes::of_run(settings, executable.as_deref());
        let timed = self.timed();
        if let Some(timed) = timed.filter(|_| other.is_none()) {
            let mut tally = timed.time(plan, &mut report, &mut new_times)?;
            tally.filtered_out = *filtered_out;
            finish(report, &tally, new_times)?;
            if tally.interrupted.is_none() {
                declared::record(plan, settings)?;
                self.write_pages()?;
                print_written(&settings.reports)?;
            }
            return Ok(CommandOutcome::of_run(&tally));
        }
        let mut tally = run::run(benchmarks, executable, hooks, settings, executor, &mut report)?;
        tally.filtered_out = *filtered_out;
        if let (Some(timed), Some(other), None) = (timed, other, tally.interrupted) {
            timed.compare(other, &mut report, &mut tally, &mut new_times)?;
        }
        let compare = |snapshot| compare_snapshot(&snapshot, settings, &tally);
        let compared = snapshot.map_or(Ok(false), compare);
        tally.differs_from_snapshot = matches!(compared, Ok(true));
        finish(report, &tally, new_times)?;
        note_limits_without_effect(&tally);
        compared?;
        if tally.interrupted.is_none() {
            declared::record(plan, settings)?;
            self.publish(&tally)?;
        }
        check(settings, &tally)?;
        Ok(CommandOutcome::of_run(&tally))
    }

    /// Returns the benchmarks if they are timed.
    fn timed(&self) -> Option<TimedFile<'_>> {
        let Self { settings, hooks, benchmarks, .. } = self;
        let time = settings.time.as_ref()?;
        Some(TimedFile { benchmarks, hooks, settings, time })
    }

    /// Records the results, and writes the pages, whose history includes the record. Writes the pages
    /// even if the record fails.
    fn publish(&self, tally: &Tally) -> Result<()> {
        let Self { settings, hooks, benchmarks, .. } = self;
        let is_complete = tally.failed + tally.hooks_failed == 0;
        // A filter can select nothing in this benchmark file
        let recorded = if settings.record && is_complete && !benchmarks.is_empty() {
            history::record_run(&hooks.package, &settings.home, &settings.mode.new, benchmarks)
        } else {
            Ok(())
        };
        let written = self.write_pages();
        recorded?;
        written?;
        Ok(print_written(&settings.reports)?)
    }

    /// Writes the pages of the run.
    fn write_pages(&self) -> Result<()> {
        let Self { settings, hooks, benchmarks, .. } = self;
        let directories: BTreeSet<_> =
            benchmarks.iter().map(|benchmark| benchmark.files.directory()).collect();
        let mut pages = settings.reports.pages.iter();
        pages.try_for_each(|site| page::write_run(site, settings, &hooks.package, &directories))
    }
}

/// Returns the arguments of this process that another run has as well. The program and the subcommand come first.
fn arguments() -> MeasuringArguments {
    measuring_arguments(&env::args_os().skip(2).collect::<Vec<_>>())
}

/// Compares results that become a new baseline with the last run.
fn compare_first_baseline(settings: &mut Settings, benchmarks: &[Benchmark]) {
    let mode = &mut settings.mode;
    let is_saved = mode.run && mode.new == mode.old && mode.new != Slot::Latest;
    let has_slot = |benchmark: &Benchmark| benchmark.files.slots().contains(&mode.new);
    if is_saved && !benchmarks.iter().any(has_slot) {
        mode.old = Slot::Latest;
    }
}

/// Completes the reports, and stores the times. Does both even if one fails.
fn finish(report: Report, tally: &Tally, times: NewTimes<'_>) -> Result<()> {
    let finished = report.finish(tally);
    times.store()?;
    Ok(finished?)
}

/// Prints a note if the benchmark file names gungraun's perf. In a timed run, which replaces perf,
/// names only options without a counterpart.
fn note_perf(benchmarks: &[Benchmark], is_timed: bool) {
    let perf: Vec<_> =
        benchmarks.iter().filter_map(|benchmark| benchmark.options.perf.as_ref()).collect();
    let options: BTreeSet<_> =
        perf.iter().flat_map(|options| options.iter()).map(|it| &**it).collect();
    let is_silent = is_timed && options.is_empty();
    if !perf.is_empty() && !is_silent {
        Note::Perf { benchmarks: perf.len(), options: &options, is_timed }.print();
    }
}

/// Lists the benchmarks as libtest does.
fn print_names(benchmarks: &[Benchmark], format: ListFormat) -> io::Result<()> {
    let mut output = console::stdout();
    for benchmark in benchmarks {
        writeln!(output, "{}: benchmark", benchmark.name())?;
    }
    if format != ListFormat::Terse {
        let number = benchmarks.len();
        writeln!(output, "\n0 tests, {number} {}", plural(number as u64, "benchmark"))?;
    }
    output.flush()
}
