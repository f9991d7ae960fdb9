//! Runs functions and commands natively between the setups and teardowns of their groups, on all sides, and times them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_launch::{
    Captured, Place, Places, Stage, capture_number, new_directory, schedule,
};
use iai_callgrind_process::{Limit, TemporaryDirectory};
use iai_callgrind_results::{Benchmark, RunId};
use iai_callgrind_revisions::SidePrograms;
use iai_callgrind_timing::{Side, TimeOptions, TimedCase, Timer};
use iai_callgrind_tools::valgrind::Environment;

use super::CaseTimes;
use super::commands::{CommandSide, TimedCommand, time_commands};
use super::copies::ProgramCopy;
use crate::error::{Error, Result};
use crate::failure::help_for_backtrace;
use crate::plan::PlanError;
use crate::run::command::CommandRun;
use crate::run::context::RunContext;
use crate::run::hooks::Hooks;
use crate::run::programs::is_built;

/// One side of a comparison: the benchmarks of an executable.
#[derive(Clone, Copy)]
pub(crate) struct TimedSide<'a> {
    pub(crate) benchmarks: &'a [Benchmark],
    pub(crate) hooks: &'a Hooks,
    pub(crate) programs: &'a dyn SidePrograms,
}

/// The times of benchmarks by their indexes.
pub(super) type Times = HashMap<usize, CaseTimes>;

/// Times the `wanted` benchmarks on every side that has them, and adds the times to `all`.
/// `progress` is called with an index and the duration of each round.
///
/// # Errors
///
/// Returns an error if no more benchmarks can be timed. A failure of a benchmark is in its result.
pub(super) fn time(
    sides: &[TimedSide<'_>],
    settings: &Settings,
    options: TimeOptions,
    wanted: &[usize],
    all: &mut Times,
    progress: &mut dyn FnMut(usize, Duration),
) -> Result<()> {
    run_stages(sides, settings, wanted, &mut Timing { options, all, progress })
}

/// The way in which the benchmarks of a stage run natively.
pub(super) trait Task {
    /// Runs functions of the first side with the same environment.
    fn functions(
        &mut self,
        run: &NativeRun<'_>,
        environment: &Environment,
        functions: &[usize],
    ) -> Result<()>;

    /// Runs commands of the first side.
    fn commands(
        &mut self,
        run: &NativeRun<'_>,
        commands: &[usize],
        places: &GroupPlaces<'_>,
    ) -> Result<()>;
}

/// Runs the `wanted` benchmarks of the first side in this way.
pub(super) fn run_stages(
    sides: &[TimedSide<'_>],
    settings: &Settings,
    wanted: &[usize],
    task: &mut dyn Task,
) -> Result<()> {
    let Some(new) = sides.first() else { return Ok(()) };
    let by_name = |side: &TimedSide<'_>| {
        let names = side.benchmarks.iter().enumerate().map(|(index, it)| (it.name(), index));
        names.collect::<HashMap<_, _>>()
    };
    let names = sides.iter().map(by_name).collect();
    let run = NativeRun { sides, settings, names };
    let wanted: HashSet<_> = wanted.iter().copied().collect();
    sides.iter().try_for_each(|side| side.hooks.set_up(None, None))?;
    let run_of = |benchmark| vec![RunId { benchmark, tool: 0, sample: 0 }];
    for stage in schedule(new.benchmarks, &new.hooks.group_hooks(), run_of) {
        let environments = by_environment(&stage, &wanted);
        let commands = stage.commands.iter().map(|id| id.benchmark);
        let commands: Vec<_> = commands.filter(|index| wanted.contains(index)).collect();
        if environments.is_empty() && commands.is_empty() {
            continue;
        }
        let places = run.set_up(stage.group)?;
        for (environment, benchmarks) in environments {
            task.functions(&run, environment, &benchmarks)?;
        }
        task.commands(&run, &commands, &places)?;
        run.tear_down(stage.group, &places)?;
    }
    sides.iter().try_for_each(|side| side.hooks.tear_down(None, None))
}

/// Returns the wanted functions of a stage by their environments.
fn by_environment<'a>(
    stage: &Stage<'a>,
    wanted: &HashSet<usize>,
) -> Vec<(&'a Environment, Vec<usize>)> {
    let mut environments: Vec<(&Environment, Vec<usize>)> = Vec::new();
    for launch in &stage.launches {
        let functions = launch.cases.iter().map(|id| id.benchmark);
        let functions: Vec<_> = functions.filter(|index| wanted.contains(index)).collect();
        if functions.is_empty() {
            continue;
        }
        match environments.iter_mut().find(|(known, _)| *known == launch.environment) {
            Some((_, benchmarks)) => benchmarks.extend(functions),
            None => environments.push((launch.environment, functions)),
        }
    }
    // A walk comes to them in this order
    for (_, benchmarks) in &mut environments {
        benchmarks.sort_unstable();
    }
    environments
}

/// Adds the output of a case, which ran in this directory and environment, to its error.
pub(super) fn with_output_of(
    case: usize,
    directory: &Path,
    environment: &Environment,
    error: Error,
) -> Error {
    let sections = Captured::of_case(directory, case).sections();
    let help = help_for_backtrace(&sections).filter(|_| environment.clear);
    error.with_output(sections).with_help(help)
}

/// The directory of the hooks of a group on each side.
pub(super) type GroupPlaces<'a> = Vec<Option<Place<'a>>>;

/// Benchmarks that run natively, on all sides.
pub(super) struct NativeRun<'a> {
    pub(super) sides: &'a [TimedSide<'a>],
    pub(super) settings: &'a Settings,
    /// The indexes of the benchmarks of each side.
    names: Vec<HashMap<String, usize>>,
}

impl NativeRun<'_> {
    /// Returns the command that starts this executable of a side as a server.
    pub(super) fn server(
        &self,
        programs: &dyn SidePrograms,
        executable: &Path,
        environment: &Environment,
    ) -> Result<Command> {
        let mut command = programs.command(executable, environment)?;
        self.settings.add_program_arguments(&mut command);
        Ok(command)
    }

    /// Runs the setup of a group of the first side, and of the groups with the same name on the
    /// others.
    fn set_up(&self, group: Option<usize>) -> Result<GroupPlaces<'_>> {
        let Some(group) = group else { return Ok(Vec::new()) };
        let mut places = Vec::new();
        for side in self.sides {
            let group = self.group_on(side, group);
            let place = group.map(|group| side.hooks.place(group)).transpose()?.flatten();
            if let Some(group) = group {
                side.hooks.set_up(Some(group), place.as_ref())?;
            }
            places.push(place);
        }
        Ok(places)
    }

    fn tear_down(&self, group: Option<usize>, places: &GroupPlaces<'_>) -> Result<()> {
        let Some(group) = group else { return Ok(()) };
        self.sides.iter().zip(places).try_for_each(|(side, place)| {
            let group = self.group_on(side, group);
            group.map_or(Ok(()), |group| side.hooks.tear_down(Some(group), place.as_ref()))
        })
    }

    /// Returns the group of a side with the name of this group of the first one.
    fn group_on(&self, side: &TimedSide<'_>, group: usize) -> Option<usize> {
        side.hooks.group_named(self.sides[0].hooks.group_name(group))
    }

    /// Returns a function of the first side, and the functions with the same name on the others.
    fn on_sides(&self, index: usize) -> Vec<&Benchmark> {
        let sides = self.sides.iter().zip(self.indexes(index));
        sides.map(|(side, index)| &side.benchmarks[index]).collect()
    }

    /// Returns the indexes of a benchmark of the first side, on the sides that have it.
    fn indexes(&self, index: usize) -> Vec<usize> {
        let name = self.sides[0].benchmarks[index].name();
        self.names.iter().filter_map(|names| names.get(&name).copied()).collect()
    }
}

/// Times the benchmarks.
struct Timing<'a> {
    options: TimeOptions,
    all: &'a mut Times,
    progress: &'a mut dyn FnMut(usize, Duration),
}

impl Task for Timing<'_> {
    fn functions(
        &mut self,
        run: &NativeRun<'_>,
        environment: &Environment,
        functions: &[usize],
    ) -> Result<()> {
        let on_sides: Vec<Vec<_>> = functions.iter().map(|index| run.on_sides(*index)).collect();
        let cases = on_sides.iter().enumerate().map(|(case, benchmarks)| TimedCase {
            starts: benchmarks.iter().filter_map(|benchmark| benchmark.start(None)).collect(),
            number: capture_number(case),
        });
        let cases: Vec<_> = cases.collect();
        let directories = run.sides.iter().map(|_| TemporaryDirectory::create(new_directory));
        let directories = directories.collect::<Result<Vec<_>, _>>()?;
        let places = run.sides.iter().zip(&directories).enumerate().map(|(side, it)| {
            let named = on_sides.iter().map(|benchmarks| {
                // A side without it makes no place
                let benchmark = benchmarks.get(side).unwrap_or(&benchmarks[0]);
                (benchmark.name(), &benchmark.options.place)
            });
            Places::new(named.collect(), &it.0.hooks.package, it.1.path())
        });
        let places: Vec<_> = places.collect();
        let makers = places.iter().map(|places| |case: usize| Ok(places.create(case)?));
        let makers: Vec<_> = makers.collect();
        let copies = run.sides.iter().map(|side| {
            let executable = side.programs.executable().ok_or(PlanError::NoExecutable)?;
            ProgramCopy::new(executable)
        });
        let copies = copies.collect::<Result<Vec<_>>>()?;
        let commands = run.sides.iter().zip(&copies);
        let commands: Vec<_> = commands
            .map(|(side, copy)| || run.server(side.programs, &copy.path(), environment))
            .collect();
        let staging: Vec<_> =
            directories.iter().map(|directory| directory.path().to_string_lossy()).collect();
        let sides = (0..run.sides.len()).map(|side| Side {
            command: &commands[side],
            staging: &staging[side],
            make_place: &makers[side],
        });
        let rounds = Timer {
            sides: sides.collect(),
            cases: &cases,
            options: self.options,
            limit: Limit::of_benchmark(run.settings.timeout, false),
            renew: &|| ProgramCopy::renew(copies.iter()),
        };
        let mut times = self.no_times(functions);
        let ended =
            rounds.run(&mut times, &mut |case, more| (self.progress)(functions[case], more));
        for (case, times) in times.iter_mut().enumerate() {
            let Some((side, error)) = times.failure.take() else { continue };
            let directory = directories[side].path();
            times.failure = Some((side, with_output_of(case, directory, environment, error)));
        }
        self.all.extend(functions.iter().copied().zip(times));
        ended
    }

    fn commands(
        &mut self,
        run: &NativeRun<'_>,
        commands: &[usize],
        places: &GroupPlaces<'_>,
    ) -> Result<()> {
        let staging = || Ok(TemporaryDirectory::create(new_directory)?);
        let directories = run.sides.iter().map(|_| staging()).collect::<Result<Vec<_>>>()?;
        let contexts = run.sides.iter().map(|side| RunContext {
            benchmarks: side.benchmarks,
            settings: run.settings,
            hooks: side.hooks,
            staging: &staging,
            measuring: None,
        });
        let contexts: Vec<_> = contexts.collect();
        let on_side = |side: usize, number: usize, benchmark: usize| {
            let command = CommandRun::new(&contexts[side], directories[side].path(), benchmark)?;
            let template = places.get(side).and_then(Option::as_ref);
            let programs = run.sides[side].programs;
            let program = programs.own_path(&command.program());
            let executable = programs.executable();
            let is_built = executable.is_some_and(|executable| is_built(&executable, &program));
            let copy = is_built.then(|| ProgramCopy::with_neighbours(program)).transpose();
            Some(copy.map(|copy| {
                let path = copy.as_ref().map(ProgramCopy::path);
                let run = CommandRun { template, number, copy: path, ..command };
                CommandSide { run, copy }
            }))
        };
        let prepared = commands.iter().enumerate().map(|(number, index)| {
            let benchmarks = run.indexes(*index).into_iter().enumerate();
            let sides = benchmarks.filter_map(|(side, index)| on_side(side, number, index));
            Ok(TimedCommand { index: *index, sides: sides.collect::<Result<_>>()? })
        });
        let prepared = prepared.collect::<Result<Vec<_>>>()?;
        let mut times = self.no_times(commands);
        let ended = time_commands(&prepared, &mut times, self.options, self.progress);
        self.all.extend(commands.iter().copied().zip(times));
        ended
    }
}

impl Timing<'_> {
    /// Returns the times of these benchmarks before the first round.
    fn no_times(&self, benchmarks: &[usize]) -> Vec<CaseTimes> {
        benchmarks.iter().map(|_| CaseTimes::new(&self.options)).collect()
    }
}
