//! Repeats benchmarks natively, one after the other, for an external profiler.

use std::time::{Duration, Instant};

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_launch::{Places, capture_number, new_directory};
use iai_callgrind_plan::{Plan, ValgrindTool};
use iai_callgrind_process::{Limit, TemporaryDirectory, interrupted};
use iai_callgrind_render::format::Reports;
use iai_callgrind_render::report::{Context, Event, Report, ReportOptions, Tally};
use iai_callgrind_results::Benchmark;
use iai_callgrind_timing::{ProfileEvent, Profiler, Repeated, Side, TimedCase};
use iai_callgrind_tools::valgrind::Environment;

use super::sides::OwnPrograms;
use super::stages::{GroupPlaces, NativeRun, Task, TimedSide, run_stages, with_output_of};
use crate::error::{Error, Result};
use crate::note::Note;
use crate::plan::PlanError;
use crate::run::check_open_files;
use crate::run::command::CommandRun;
use crate::run::context::RunContext;
use crate::run::hooks::Hooks;
use crate::run::note::BenchmarkNote;

/// The benchmarks of a file, which are repeated.
pub(crate) struct ProfiledFile<'a> {
    pub(crate) benchmarks: &'a [Benchmark],
    pub(crate) hooks: &'a Hooks,
    pub(crate) settings: &'a Settings,
}

impl ProfiledFile<'_> {
    /// Repeats each of them for this long. Nothing is stored.
    ///
    /// # Errors
    ///
    /// Returns an error if the executable can't start. Failures of benchmarks are reported and counted.
    pub(crate) fn run(&self, plan: &Plan, duration: Duration) -> Result<Tally> {
        let Self { benchmarks, hooks, settings } = *self;
        check_open_files(benchmarks.iter())?;
        note_unused(settings);
        let options = ReportOptions { reports: Reports::default(), ..settings.report_options() };
        let mut report = Report::of_run(Context::new(plan, &options), &options)?;
        let own = OwnPrograms::of(hooks)?;
        let side = TimedSide { benchmarks, hooks, programs: &own };
        // Measured hooks run around their commands
        let wanted =
            benchmarks.iter().enumerate().filter(|(_, benchmark)| benchmark.hook.is_none());
        let wanted: Vec<_> = wanted.map(|(index, _)| index).collect();
        let start = Instant::now();
        let mut profiling = Profiling { duration, report: &mut report, tally: Tally::default() };
        let ended = run_stages(&[side], settings, &wanted, &mut profiling);
        let Profiling { mut tally, .. } = profiling;
        tally.selected = wanted.len();
        tally.interrupted = interrupted();
        tally.seconds = start.elapsed().as_secs_f64();
        ended.or_else(|error| if tally.interrupted.is_some() { Ok(()) } else { Err(error) })?;
        report.finish(&tally)?;
        Ok(tally)
    }
}

/// Prints a note with the options about results, which a run without results ignores.
fn note_unused(settings: &Settings) {
    let Reports { on_stdout, in_files, pages, saved, .. } = &settings.reports;
    let mut limited = settings.config.tools.iter().filter(|tool| !tool.limits.is_empty());
    let has_limits = limited.any(|tool| tool.tool == ValgrindTool::Callgrind);
    let options: Vec<_> = [
        (!in_files.is_empty() || !pages.is_empty(), "--report"),
        (on_stdout.is_some(), "--output-format"),
        (saved.is_some(), "--save-summary"),
        (settings.record, "--record"),
        (settings.limit.is_some(), "--limit"),
        (has_limits, "--callgrind-limits"),
        (!settings.counter_limits.is_empty(), "--counter-limits"),
        (settings.checks.strict_environment, "--strict-environment"),
    ]
    .into_iter()
    .filter_map(|(is_given, option)| is_given.then_some(option))
    .collect();
    if !options.is_empty() {
        Note::WithoutResults { options: &options }.print();
    }
}

/// Repeats the benchmarks.
struct Profiling<'a> {
    duration: Duration,
    report: &'a mut Report,
    tally: Tally,
}

impl Task for Profiling<'_> {
    fn functions(
        &mut self,
        run: &NativeRun<'_>,
        environment: &Environment,
        functions: &[usize],
    ) -> Result<()> {
        let TimedSide { benchmarks, hooks, programs } = run.sides[0];
        let benchmark = |case: usize| &benchmarks[functions[case]];
        let directory = TemporaryDirectory::create(new_directory)?;
        let cases = (0..functions.len()).map(|case| TimedCase {
            starts: benchmark(case).start(None).into_iter().collect(),
            number: capture_number(case),
        });
        let cases: Vec<_> = cases.collect();
        let named = (0..functions.len()).map(|case| {
            let benchmark = benchmark(case);
            (benchmark.name(), &benchmark.options.place)
        });
        let places = Places::new(named.collect(), &hooks.package, directory.path());
        // Not a copy, because a profiler reads its symbols after the run
        let executable = programs.executable().ok_or(PlanError::NoExecutable)?;
        let timeout = run.settings.timeout.map(|timeout| timeout.saturating_add(self.duration));
        let profiler = Profiler {
            side: Side {
                command: &|| run.server(programs, &executable, environment),
                staging: &directory.path().to_string_lossy(),
                make_place: &|case| Ok(places.create(case)?),
            },
            cases: &cases,
            duration: self.duration,
            limit: Limit::of_benchmark(timeout, false),
        };
        profiler.run(&mut |case, event| match event {
            ProfileEvent::Started { process } => {
                let (title, duration) = (&benchmark(case).title_in_text(), self.duration);
                BenchmarkNote::Profiling { title, process, duration }.print();
            }
            ProfileEvent::Ended(repeated) => {
                let repeated = repeated.map_err(|error: Error| {
                    with_output_of(case, directory.path(), environment, error)
                });
                self.end(benchmark(case), repeated);
            }
        })
    }

    fn commands(
        &mut self,
        run: &NativeRun<'_>,
        commands: &[usize],
        places: &GroupPlaces<'_>,
    ) -> Result<()> {
        let TimedSide { benchmarks, hooks, .. } = run.sides[0];
        let staging = || Ok(TemporaryDirectory::create(new_directory)?);
        let directory = staging()?;
        let (settings, measuring) = (run.settings, None);
        let context = RunContext { benchmarks, settings, hooks, staging: &staging, measuring };
        for (number, index) in commands.iter().enumerate() {
            let Some(command) = CommandRun::new(&context, directory.path(), *index) else {
                continue;
            };
            let template = places.first().and_then(Option::as_ref);
            let repeated = self.repeat(&CommandRun { template, number, ..command });
            if let Some(signal) = interrupted() {
                return Err(Error::Interrupted { signal });
            }
            self.end(&benchmarks[*index], repeated);
        }
        Ok(())
    }
}

impl Profiling<'_> {
    /// Runs a command again and again.
    fn repeat(&self, command: &CommandRun<'_>) -> Result<Repeated> {
        let (title, duration) = (&command.benchmark.title_in_text(), self.duration);
        BenchmarkNote::ProfilingCommand { title, duration }.print();
        let start = Instant::now();
        let mut repeated = Repeated { calls: 0, wall: Duration::ZERO };
        while repeated.wall < duration {
            command.run().command?;
            repeated = Repeated { calls: repeated.calls + 1, wall: start.elapsed() };
        }
        Ok(repeated)
    }

    /// Reports the end of a benchmark.
    fn end(&mut self, benchmark: &Benchmark, repeated: Result<Repeated>) {
        self.tally.finished += 1;
        match repeated {
            Ok(Repeated { calls, wall }) => {
                let title = &benchmark.title_in_text();
                let is_command = benchmark.command().is_some();
                BenchmarkNote::Profiled { title, calls, wall, is_command }.print();
            }
            Err(error) => {
                self.tally.failed += 1;
                self.report.receive(&Event::Failed { benchmark, error: &error });
            }
        }
    }
}
