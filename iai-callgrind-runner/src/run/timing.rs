//! Times benchmarks without Valgrind, and compares their times with those of another revision.

mod commands;
mod copies;
mod kept_executable;
mod profile;
mod sides;
mod stages;
mod stored;

use std::collections::{HashMap, HashSet};
use std::iter;
use std::time::{Duration, Instant};

use iai_callgrind_cli::settings::{Settings, TimeSettings, TimedBenchmarks};
use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{Plan, ValgrindTool};
use iai_callgrind_process::interrupted;
use iai_callgrind_render::report::{Event, Report, Tally};
use iai_callgrind_results::{Benchmark, Mode, ResultTable, ToolOptions};
use iai_callgrind_revisions::OtherSide;
use iai_callgrind_store::{OutputDirectory, Slot};
use iai_callgrind_timing::{self as timing, TimeNote, judge};
use iai_callgrind_tools::tool::ReadOptions;

pub(crate) use self::profile::ProfiledFile;
use self::sides::{LoadedPair, LoadedSide, OwnPrograms};
use self::stages::{TimedSide, Times, time};
pub(crate) use self::stored::NewTimes;
use super::check_open_files;
use super::hooks::Hooks;
use super::note::BenchmarkNote;
use crate::error::{Error, Result};
use crate::failure::Failure;

/// The times of a case, with the error of a run.
type CaseTimes = timing::CaseTimes<Error>;

/// The times until the end of the measurement, or until an error.
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
    pub(crate) time: &'a TimeSettings,
}

impl<'a> TimedFile<'a> {
    /// Times all of them, without another side or next to the executable that a baseline keeps.
    /// Adds the times to `new_times`, which the caller stores after the report, so that the user
    /// sees them even if this fails.
    ///
    /// # Errors
    ///
    /// See [`Self::report_times`]. It is also an error if the baseline keeps no executable of the
    /// file.
    pub(crate) fn time(
        self,
        plan: &Plan,
        report: &mut Report,
        new_times: &mut NewTimes<'a>,
    ) -> Result<Tally> {
        let start = Instant::now();
        let own = OwnPrograms::of(self.hooks)?;
        let mut wanted = self.timed().collect::<Vec<_>>();
        check_open_files(wanted.iter().map(|index| &self.benchmarks[*index]))?;
        let kept = match &self.time.kept {
            Some(slot) => self.load_kept(plan, slot, &mut wanted)?,
            None => None,
        };
        new_times.read_stored(self.benchmarks)?;
        // Fails for a read-only directory before the benchmarks are timed
        if !wanted.is_empty() {
            drop(OutputDirectory::open(&self.settings.home, &self.settings.directory)?);
        }
        self.note_hooks();
        let kept = kept.as_ref().map(LoadedSide::side);
        let sides = iter::once(self.side(&own)).chain(kept).collect();
        let mut tally = Tally { selected: wanted.len(), ..Tally::default() };
        self.report_times(&[sides], &wanted, report, &mut tally, new_times)?;
        tally.interrupted = interrupted();
        tally.finished = if tally.interrupted.is_some() { 0 } else { wanted.len() };
        tally.seconds = start.elapsed().as_secs_f64();
        Ok(tally)
    }

    /// Loads the executable that a baseline keeps, unless only commands are wanted. Selects the
    /// benchmarks that both sides have; a note has the number of the others.
    fn load_kept(
        self,
        plan: &Plan,
        slot: &Slot,
        wanted: &mut Vec<usize>,
    ) -> Result<Option<LoadedSide>> {
        self.leave_out_commands(wanted, |number| BenchmarkNote::CommandsNotKept { number });
        let functions = wanted.len();
        if functions == 0 {
            return Ok(None);
        }
        let kept = kept_executable::load(plan, self.settings, slot)?;
        let names = kept.names();
        wanted.retain(|index| names.contains(&self.benchmarks[*index].name()));
        if wanted.len() < functions {
            BenchmarkNote::NotKept { number: functions - wanted.len() }.print();
        }
        Ok(Some(kept))
    }

    /// Leaves out the commands of the wanted benchmarks, with a note about their number.
    fn leave_out_commands(
        self,
        wanted: &mut Vec<usize>,
        note: impl FnOnce(usize) -> BenchmarkNote<'static>,
    ) {
        let all = wanted.len();
        wanted.retain(|index| self.benchmarks[*index].command().is_none());
        if wanted.len() < all {
            note(all - wanted.len()).print();
        }
    }

    /// Compares the times of benchmarks with those of another revision, which is built if there is something to time, and reports
    /// them. The times are added as by [`Self::time`].
    ///
    /// # Errors
    ///
    /// See [`Self::report_times`].
    pub(crate) fn compare(
        self,
        other: OtherSide<'_>,
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        let Self { benchmarks, settings, time, .. } = self;
        let (mut wanted, same_code): (Vec<_>, Vec<_>) = self.timed().partition(|index| {
            time.benchmarks == TimedBenchmarks::All
                || !runs_same_code(&benchmarks[*index], &settings.mode)
        });
        self.note_hooks();
        report.receive(&Event::SameCode { number: same_code.len() });
        if time.layouts.is_some() {
            let note = |number| BenchmarkNote::CommandsWithoutLayouts { number };
            self.leave_out_commands(&mut wanted, note);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let pairs = LoadedPair::load(other, time.layouts, settings)?;
        let start = Instant::now();
        let names = pairs.first().map_or_else(HashSet::new, LoadedPair::names);
        wanted.retain(|index| names.contains(&benchmarks[*index].name()));
        let own = OwnPrograms::of(self.hooks)?;
        let pairs: Vec<_> = pairs.iter().map(|pair| pair.sides(self.side(&own))).collect();
        self.report_times(&pairs, &wanted, report, tally, new_times)?;
        tally.seconds += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Times the wanted benchmarks of these sides, or of several layouts of them, and reports the
    /// times. Counts failures and exceeded limits, unless the run is interrupted. Adds the times,
    /// which the caller stores, and the error that ended the measurement early.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing was measured before it. Failures of benchmarks are reported and
    /// counted.
    fn report_times(
        self,
        layouts: &[Vec<TimedSide<'_>>],
        wanted: &[usize],
        report: &mut Report,
        tally: &mut Tally,
        new_times: &mut NewTimes<'a>,
    ) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let Self { benchmarks, time: options, .. } = self;
        // A step for each second
        let seconds = usize::try_from(options.options.budget.as_secs()).unwrap_or(usize::MAX);
        report.start_progress(seconds.saturating_mul(wanted.len()));
        let Measured { times: measured, error } = self.measure(layouts, wanted, report);
        report.end_progress();
        tally.interrupted = interrupted();
        let has_none = |times: &CaseTimes| times.pairs.is_empty() && times.failure.is_none();
        match error {
            Some(Error::Interrupted { .. }) => return Ok(()),
            Some(error) if measured.values().all(has_none) => return Err(error),
            error => new_times.error = error,
        }
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
                        usize::from(time.exceeds(options.limit.or(benchmark.options.time_limit)));
                    let stored = new_times.stored.get(*index).and_then(Option::as_ref);
                    shown += usize::from(stored.is_some());
                    report.receive(&Event::Timed { benchmark, time: &time, stored });
                    new_times.add(benchmark, &time);
                }
                (None, None) => {
                    tally.failed += 1;
                    let error = &Failure::NoEnd;
                    report.receive(&Event::Failed { benchmark, error });
                }
            }
        }
        match (&options.baseline, shown) {
            (Some(_), 0) => TimeNote::NoStored.print(),
            (Some(_), _) => TimeNote::OfRuns.print(),
            (None, _) => {}
        }
        Ok(())
    }

    /// Times the wanted benchmarks in each layout, which share the budget, and reports the progress. A layout is one observation:
    /// all processes of an executable have it in common.
    fn measure(
        self,
        layouts: &[Vec<TimedSide<'_>>],
        wanted: &[usize],
        report: &mut Report,
    ) -> Measured {
        let options = self.time.options.of_part(layouts.len());
        let by_name: HashMap<_, _> =
            wanted.iter().map(|index| (self.benchmarks[*index].name(), *index)).collect();
        let mut spent = Duration::ZERO;
        let mut all = Measured::default();
        for sides in layouts {
            let benchmarks = sides[0].benchmarks;
            // The executable has benchmarks of other shards too
            let place = |index: &usize| by_name.get(&benchmarks[*index].name()).copied();
            let wanted: Vec<_> =
                (0..benchmarks.len()).filter(|index| place(index).is_some()).collect();
            let mut times = Times::new();
            let mut progress = |index: usize, more| {
                spent += more;
                report.receive(&Event::Timing { benchmark: &benchmarks[index], spent });
            };
            let ended = time(sides, self.settings, options, &wanted, &mut times, &mut progress);
            for (index, times) in times {
                let Some(place) = place(&index) else { continue };
                match layouts.len() {
                    1 => _ = all.times.insert(place, times),
                    _ => all.times.entry(place).or_default().add_layout(times),
                }
            }
            if let Err(error) = ended {
                all.error = Some(error);
                break;
            }
        }
        all
    }

    /// Returns this side, with the executable of the run.
    fn side<'own>(self, own: &'own OwnPrograms) -> TimedSide<'own>
    where
        'a: 'own,
    {
        let Self { benchmarks, hooks, .. } = self;
        TimedSide { benchmarks, hooks, programs: own }
    }

    /// Prints a note if some benchmarks are setups and teardowns that are measured.
    fn note_hooks(self) {
        let number = self.benchmarks.len() - self.timed().count();
        if number > 0 {
            BenchmarkNote::HooksNotTimed { number }.print();
        }
    }

    /// Returns the indexes of the benchmarks that can be timed: functions and commands.
    fn timed(self) -> impl Iterator<Item = usize> {
        (0..self.benchmarks.len()).filter(move |index| self.benchmarks[*index].hook.is_none())
    }
}

/// Returns `true` if both results of a benchmark are known to come from the same machine code with
/// the same number of executed instructions.
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
