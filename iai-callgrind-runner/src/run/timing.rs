//! Times benchmarks without Valgrind, and compares their times with those of another revision.

mod stages;

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::metric::MetricKind;

use self::stages::{TimedSide, start_of, time};
use super::hooks::{HookCommands, Hooks};
use crate::against::OtherSide;
use crate::benchmark::{Benchmark, selected};
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::explanation::StoredTable;
use crate::options::ToolOptions;
use crate::output::Slot;
use crate::process::interrupted;
use crate::report::{Event, Report, Tally};
use crate::settings::{Mode, Settings, TimedBenchmarks};
use crate::time::{TimeOptions, judge};
use crate::tool::ReadOptions;
use crate::valgrind::{Environment, native_command};

/// Times all functions, without another side.
///
/// # Errors
///
/// See [`report_times`].
pub(crate) fn time_functions(
    benchmarks: &[Benchmark],
    hooks: &Hooks,
    settings: &Settings,
    options: TimeOptions,
    report: &mut Report,
) -> Result<Tally> {
    let start = Instant::now();
    let executable = Executable::open(hooks.executable()?.to_owned())?;
    let command = |environment: &Environment| Ok(own_command(&executable, environment));
    let side = TimedSide { benchmarks, hooks, command: &command };
    let wanted = functions(benchmarks).collect::<Vec<_>>();
    let mut tally = Tally { selected: wanted.len(), finished: wanted.len(), ..Tally::default() };
    report_times(&[side], settings, options, &wanted, report, &mut tally)?;
    tally.seconds = start.elapsed().as_secs_f64();
    Ok(tally)
}

/// A run whose times are compared with those of another revision.
pub(crate) struct Sides<'a> {
    pub(crate) benchmarks: &'a [Benchmark],
    pub(crate) hooks: &'a Hooks,
    pub(crate) settings: &'a Settings,
}

impl Sides<'_> {
    /// Compares the times of functions, and reports them. Without `other`, which does not have the benchmark file, there is
    /// nothing to compare.
    ///
    /// # Errors
    ///
    /// See [`report_times`].
    pub(crate) fn time(
        &self,
        other: Option<OtherSide>,
        report: &mut Report,
        tally: &mut Tally,
    ) -> Result<()> {
        let Self { benchmarks, hooks, settings } = *self;
        let (Some(other), Some(time)) = (other, settings.time) else { return Ok(()) };
        let start = Instant::now();
        let other_hooks = Hooks::of_plan(&other.plan, HookCommands::new(), settings);
        let other = Arc::new(other);
        let inner = Arc::clone(&other);
        let other_hooks = other_hooks.entering(move |command| inner.enter(command));
        let other_benchmarks = selected(other.plan.clone(), settings)?;
        let executable = Executable::open(hooks.executable()?.to_owned())?;
        let command = |environment: &Environment| Ok(own_command(&executable, environment));
        let other_command = |environment: &Environment| other.command(environment);
        let sides = [
            TimedSide { benchmarks, hooks, command: &command },
            TimedSide {
                benchmarks: &other_benchmarks,
                hooks: &other_hooks,
                command: &other_command,
            },
        ];
        let names: HashSet<_> = other_benchmarks.iter().map(Benchmark::name).collect();
        let wanted = functions(benchmarks).filter(|index| {
            let benchmark = &benchmarks[*index];
            let is_wanted = time.benchmarks == TimedBenchmarks::All
                || !runs_same_code(benchmark, &settings.mode);
            is_wanted && names.contains(&benchmark.name())
        });
        let wanted: Vec<_> = wanted.collect();
        report_times(&sides, settings, time.options, &wanted, report, tally)?;
        tally.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }
}

/// Returns the indexes of the functions among benchmarks.
fn functions(benchmarks: &[Benchmark]) -> impl Iterator<Item = usize> {
    (0..benchmarks.len()).filter(|index| start_of(&benchmarks[*index]).is_some())
}

fn own_command(executable: &Executable, environment: &Environment) -> Command {
    native_command(Path::new(&executable.path), executable.needs_library_path, environment)
}

/// Returns `true` if the two results of a benchmark are known to come from the same machine code, which executed the same
/// number of instructions.
fn runs_same_code(benchmark: &Benchmark, mode: &Mode) -> bool {
    let callgrind = |options: &&ToolOptions| options.tool.kind == ValgrindTool::Callgrind;
    let Some(options) = benchmark.options.tools.iter().find(callgrind) else { return false };
    let work = |slot: &Slot| {
        let read = ReadOptions { options: Some(&options.launch), wanted: &options.wanted() };
        let measurement = benchmark.files.read(options.tool, slot, &read).ok()??;
        let instructions = measurement.total.count(MetricKind::Ir)?;
        let table = StoredTable::read(&benchmark.files, options.tool, slot);
        Some((instructions, table.parse(instructions, false).ok()?.work()?))
    };
    let new = work(&mode.new);
    new.is_some() && new == work(&mode.old)
}

/// Times functions of the first side, those with these indexes, and reports them.
///
/// # Errors
///
/// Returns an error if no more benchmarks can be timed. Failures of benchmarks are reported and counted.
pub(crate) fn report_times(
    sides: &[TimedSide<'_>],
    settings: &Settings,
    options: TimeOptions,
    wanted: &[usize],
    report: &mut Report,
    tally: &mut Tally,
) -> Result<()> {
    let Some(new) = sides.first().filter(|_| !wanted.is_empty()) else { return Ok(()) };
    let seconds = usize::try_from(options.budget.as_secs()).unwrap_or(usize::MAX);
    report.start_progress(seconds.saturating_mul(wanted.len()));
    let mut spent = Duration::ZERO;
    let measured = time(sides, settings, options, wanted, &mut |index, more| {
        spent += more;
        report.receive(&Event::Timing { benchmark: &new.benchmarks[index], spent });
    });
    report.end_progress();
    tally.interrupted = interrupted();
    let measured = match measured {
        Err(Error::Interrupted { .. }) => return Ok(()),
        measured => measured?,
    };
    let ordered: Vec<_> =
        wanted.iter().filter_map(|index| Some((*index, measured.get(index)?))).collect();
    let times: Vec<_> = ordered.iter().map(|(_, times)| *times).collect();
    for ((index, times), time) in ordered.iter().zip(judge(&times)) {
        let benchmark = &new.benchmarks[*index];
        match (&times.failure, time) {
            (Some((_, error)), _) => {
                tally.failed += 1;
                report.receive(&Event::Failed { benchmark, error });
            }
            (None, Some(time)) => report.receive(&Event::Timed { benchmark, time: &time }),
            (None, None) => {}
        }
    }
    Ok(())
}
