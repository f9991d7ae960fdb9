//! Times benchmarks without Valgrind, and compares their times with those of another revision.

mod commands;
mod copies;
mod kept;
mod sides;
mod stages;
mod stored;

use std::collections::HashMap;
use std::iter;
use std::time::{Duration, Instant};

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Plan, ValgrindTool};

pub(crate) use self::sides::TimedSides;
use self::sides::{LoadedSide, OwnPrograms};
use self::stages::{TimedSide, Times, time};
pub(crate) use self::stored::NewTimes;
use super::hooks::Hooks;
use super::note::BenchmarkNote;
use crate::benchmark::Benchmark;
use crate::error::{Error, Result};
use crate::explanation::ResultTable;
use crate::options::ToolOptions;
use crate::output::{OutputDirectory, Slot};
use crate::process::interrupted;
use crate::report::{Event, Report, Tally};
use crate::settings::{Mode, Settings, TimedBenchmarks};
use crate::time::{CaseTimes, TimeNote, TimeOptions, judge};
use crate::tool::ReadOptions;

/// The times that were measured until the end, or until an error.
#[derive(Default)]
struct Measured {
    times: Times,
    error: Option<Error>,
}

/// The benchmarks of a file, which are timed.
#[derive(Clone, Copy)]
pub(crate) struct TimedFile<'a> {
    pub(crate) benchmarks: &'a [Benchmark],
    pub(crate) hooks: &'a Hooks,
    pub(crate) settings: &'a Settings,
}

impl<'a> TimedFile<'a> {
    /// Times all of them, without another side or next to the executable that a baseline keeps. The times are added to
    /// `new_times`, which are to be stored when the report is finished: if they can't be, the user sees them.
    ///
    /// # Errors
    ///
    /// See [`Self::report_times`]. It is also an error if the baseline keeps no executable of the file.
    pub(crate) fn time(
        self,
        options: TimeOptions,
        plan: &Plan,
        report: &mut Report,
        new_times: &mut NewTimes<'a>,
    ) -> Result<Tally> {
        let Self { benchmarks, hooks, settings } = self;
        let start = Instant::now();
        let own = OwnPrograms::of(hooks)?;
        let side = TimedSide { benchmarks, hooks, programs: &own };
        let mut wanted = timed(benchmarks).collect::<Vec<_>>();
        let kept = settings.time.as_ref().and_then(|time| time.kept.as_ref());
        let kept = kept.map(|slot| self.load_kept(plan, slot, &mut wanted)).transpose()?.flatten();
        let mut tally = Tally::default();
        new_times.read_stored(benchmarks)?;
        // A directory that can't be written is an error before the benchmarks are timed
        if !wanted.is_empty() {
            drop(OutputDirectory::open(&settings.home, &settings.directory)?);
        }
        note_hooks(benchmarks);
        let sides: Vec<_> = iter::once(side).chain(kept.as_ref().map(LoadedSide::side)).collect();
        self.report_times(&sides, options, &wanted, report, &mut tally, new_times)?;
        Ok(finished(wanted.len(), tally, start))
    }

    /// Loads the executable that a baseline keeps, unless only commands are wanted. The wanted benchmarks are then those that
    /// both sides have; a note says how many others there are.
    fn load_kept(
        &self,
        plan: &Plan,
        slot: &Slot,
        wanted: &mut Vec<usize>,
    ) -> Result<Option<LoadedSide>> {
        self.leave_out_commands(wanted, |number| BenchmarkNote::CommandsNotKept { number });
        let functions = wanted.len();
        if functions == 0 {
            return Ok(None);
        }
        let kept = kept::load(plan, self.settings, slot)?;
        let names = kept.names();
        wanted.retain(|index| names.contains(&self.benchmarks[*index].name()));
        if wanted.len() < functions {
            BenchmarkNote::NotKept { number: functions - wanted.len() }.print();
        }
        Ok(Some(kept))
    }

    /// Leaves out the commands of the wanted benchmarks, with a note about their number.
    fn leave_out_commands(
        &self,
        wanted: &mut Vec<usize>,
        note: impl FnOnce(usize) -> BenchmarkNote<'static>,
    ) {
        let all = wanted.len();
        wanted.retain(|index| self.benchmarks[*index].command().is_none());
        if wanted.len() < all {
            note(all - wanted.len()).print();
        }
    }

    /// Compares the times of benchmarks, and reports them. The sides are built if there is something to time; without them, the
    /// other side does not have the benchmark file. The times are added as by [`Self::time`].
    ///
    /// # Errors
    ///
    /// See [`Self::report_times`].
    pub(crate) fn compare(
        self,
        build: impl FnOnce() -> Result<Option<TimedSides>>,
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        let Self { benchmarks, hooks, settings } = self;
        let Some(time) = &settings.time else { return Ok(()) };
        let (mut wanted, same_code): (Vec<_>, Vec<_>) = timed(benchmarks).partition(|index| {
            time.benchmarks == TimedBenchmarks::All
                || !runs_same_code(&benchmarks[*index], &settings.mode)
        });
        note_hooks(benchmarks);
        report.receive(&Event::SameCode { number: same_code.len() });
        if time.layouts.is_some() {
            let note = |number| BenchmarkNote::CommandsWithoutLayouts { number };
            self.leave_out_commands(&mut wanted, note);
        }
        let other = if wanted.is_empty() { None } else { build()? };
        let Some(other) = other else { return Ok(()) };
        let start = Instant::now();
        let names = other.names();
        wanted.retain(|index| names.contains(&benchmarks[*index].name()));
        match other {
            TimedSides::Revision(other) => {
                let own = OwnPrograms::of(hooks)?;
                let new = TimedSide { benchmarks, hooks, programs: &own };
                let sides = [new, other.side()];
                self.report_times(&sides, time.options, &wanted, report, tally, new_times)?;
            }
            TimedSides::Layouts(layouts) => {
                self.time_layouts(&layouts, &wanted, report, tally, new_times)?;
            }
        }
        tally.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Times benchmarks in each layout, which share the budget, and reports them. A layout is one observation: all processes of an
    /// executable have it in common.
    fn time_layouts(
        self,
        layouts: &[[LoadedSide; 2]],
        wanted: &[usize],
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        let Self { benchmarks, settings, .. } = self;
        let Some(time) = settings.time.as_ref().filter(|_| !wanted.is_empty()) else {
            return Ok(());
        };
        start_progress(report, time.options, wanted.len());
        let mut spent = Duration::ZERO;
        let mut all = Measured::default();
        let options = time.options.of_part(layouts.len());
        let by_name: HashMap<_, _> =
            wanted.iter().map(|index| (benchmarks[*index].name(), *index)).collect();
        for pair in layouts {
            let sides = pair.each_ref().map(LoadedSide::side);
            let of_layout =
                |index: &usize| by_name.contains_key(&sides[0].benchmarks[*index].name());
            let of_layout: Vec<_> = timed(sides[0].benchmarks).filter(of_layout).collect();
            let measured = measure(&sides, settings, options, &of_layout, report, &mut spent);
            for (index, times) in measured.times {
                if let Some(index) = by_name.get(&sides[0].benchmarks[index].name()) {
                    all.times.entry(*index).or_default().add_layout(times);
                }
            }
            all.error = measured.error;
            if all.error.is_some() {
                break;
            }
        }
        report.end_progress();
        self.report_measured(wanted, all, report, tally, new_times)
    }

    /// Times benchmarks of the first side, those with these indexes, and reports them.
    ///
    /// # Errors
    ///
    /// Returns an error if no more benchmarks can be timed. Failures of benchmarks are reported and counted.
    fn report_times(
        self,
        sides: &[TimedSide<'_>],
        options: TimeOptions,
        wanted: &[usize],
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        start_progress(report, options, wanted.len());
        let mut spent = Duration::ZERO;
        let measured = measure(sides, self.settings, options, wanted, report, &mut spent);
        report.end_progress();
        self.report_measured(wanted, measured, report, tally, new_times)
    }

    /// Reports the times of benchmarks, and counts failures and exceeded limits, unless the run is interrupted. Adds the times,
    /// which are to be stored, and the error that ended the measurement early.
    ///
    /// # Errors
    ///
    /// Returns the error if nothing was measured before it.
    fn report_measured(
        self,
        wanted: &[usize],
        measured: Measured,
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        let Self { benchmarks, settings, .. } = self;
        tally.interrupted = interrupted();
        let Measured { times: measured, error } = measured;
        let has_none = |times: &CaseTimes| times.pairs.is_empty() && times.failure.is_none();
        match error {
            Some(Error::Interrupted { .. }) => return Ok(()),
            Some(error) if measured.values().all(has_none) => return Err(error),
            error => new_times.error = error,
        }
        let (limit, baseline) = settings
            .time
            .as_ref()
            .map_or((None, None), |time| (time.limit, time.baseline.as_ref()));
        let mut shown = 0;
        let ordered: Vec<_> =
            wanted.iter().filter_map(|index| Some((*index, measured.get(index)?))).collect();
        // The error came before them
        tally.failed += wanted.len() - ordered.len();
        let times: Vec<_> = ordered.iter().map(|(_, times)| *times).collect();
        for ((index, times), time) in ordered.iter().zip(judge(&times)) {
            let benchmark = &benchmarks[*index];
            match (&times.failure, time) {
                (Some((_, error)), _) => {
                    tally.failed += 1;
                    report.receive(&Event::Failed { benchmark, error });
                }
                (None, Some(mut time)) => {
                    if times.measures_itself {
                        BenchmarkNote::TimesItself { title: &benchmark.title_in_text() }.print();
                    }
                    tally.regressed +=
                        usize::from(time.exceeds(limit.or(benchmark.options.time_limit)));
                    let stored = new_times.stored.get(*index).and_then(Option::as_ref);
                    shown += usize::from(stored.is_some());
                    report.receive(&Event::Timed { benchmark, time: &time, stored });
                    new_times.add(benchmark, &time);
                }
                (None, None) => tally.failed += 1,
            }
        }
        match (baseline, shown) {
            (Some(_), 0) => TimeNote::NoStored.print(),
            (Some(_), _) => TimeNote::OfRuns.print(),
            (None, _) => {}
        }
        Ok(())
    }
}

/// Shows a progress with a step for each second of these comparisons.
fn start_progress(report: &mut Report, options: TimeOptions, comparisons: usize) {
    let seconds = usize::try_from(options.budget.as_secs()).unwrap_or(usize::MAX);
    report.start_progress(seconds.saturating_mul(comparisons));
}

/// Times benchmarks of the first side and reports the progress. The time is added to `spent`.
fn measure(
    sides: &[TimedSide<'_>],
    settings: &Settings,
    options: TimeOptions,
    wanted: &[usize],
    report: &mut Report,
    spent: &mut Duration,
) -> Measured {
    let benchmarks = sides[0].benchmarks;
    let mut times = Times::new();
    let ended = time(sides, settings, options, wanted, &mut times, &mut |index, more| {
        *spent += more;
        report.receive(&Event::Timing { benchmark: &benchmarks[index], spent: *spent });
    });
    Measured { times, error: ended.err() }
}

/// Returns the numbers of a run that only timed this number of benchmarks.
fn finished(number: usize, tally: Tally, start: Instant) -> Tally {
    let interrupted = interrupted();
    Tally {
        selected: number,
        finished: if interrupted.is_some() { 0 } else { number },
        interrupted,
        seconds: start.elapsed().as_secs_f64(),
        ..tally
    }
}

/// Prints a note if some benchmarks are setups and teardowns that are measured.
fn note_hooks(benchmarks: &[Benchmark]) {
    let number = benchmarks.len() - timed(benchmarks).count();
    if number > 0 {
        BenchmarkNote::HooksNotTimed { number }.print();
    }
}

/// Returns the indexes of the benchmarks that can be timed: functions and commands.
fn timed(benchmarks: &[Benchmark]) -> impl Iterator<Item = usize> {
    (0..benchmarks.len()).filter(|index| benchmarks[*index].hook.is_none())
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
        let table = ResultTable::read(&benchmark.files, options.tool, slot);
        Some((instructions, table.parse(instructions, false).ok()?.work()?))
    };
    let new = work(&mode.new);
    new.is_some() && new == work(&mode.old)
}
