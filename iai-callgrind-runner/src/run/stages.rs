//! Runs the stages: what groups have to run before and after their benchmarks, and these.

use std::ops::ControlFlow;

use iai_callgrind_plan::HookKind;

use super::command::Workshop;
use super::commands;
use super::hooks::Hooks;
use super::launch::Launcher;
use super::order::InOrder;
use super::sandbox::Place;
use super::schedule::{Stage, schedule};
use crate::error::{Error, Result};
use crate::options::PlaceOptions;
use crate::process::interrupted;
use crate::report::progress::Progress;
use crate::result::Outcome;

/// The place in which a group's hooks run, and how it is configured.
type GroupPlace<'a> = Option<(Place, &'a PlaceOptions)>;

/// Runs all benchmarks, between the set-up and the tear-down of their groups. Returns which of these
/// failed; if a set-up did, so have its benchmarks.
pub(super) fn run(
    launcher: &Launcher<'_>,
    hooks: &Hooks,
    pass: &mut dyn FnMut(usize, Vec<Outcome>) -> ControlFlow<()>,
) -> Result<Vec<Error>> {
    let Launcher { benchmarks, settings, .. } = *launcher;
    let parts = |index: usize| benchmarks[index].options.tools.len() * settings.seeds.len();
    let progress = Progress::new((0..benchmarks.len()).map(parts).sum());
    let outcomes = InOrder::new(&parts, pass);
    let flow = ControlFlow::Continue(());
    let failures = Vec::new();
    let mut stages = Stages { launcher, hooks, progress, outcomes, flow, failures };
    for stage in schedule(benchmarks, &hooks.of_groups()) {
        stages.run(&stage)?;
        if stages.flow.is_break() {
            break;
        }
    }
    let Stages { progress, mut outcomes, mut failures, .. } = stages;
    if interrupted().is_some() {
        progress.suspend(|| outcomes.pass_complete());
        failures.retain(|error| !matches!(error, Error::Interrupted { .. }));
    }
    Ok(failures)
}

struct Stages<'a, 'b> {
    launcher: &'a Launcher<'a>,
    hooks: &'a Hooks,
    progress: Progress,
    outcomes: InOrder<'b>,
    /// Breaks when the run shall end.
    flow: ControlFlow<()>,
    failures: Vec<Error>,
}

impl<'a> Stages<'a, '_> {
    fn run(&mut self, stage: &Stage<'_>) -> Result<()> {
        let Some(group) = stage.group else { return self.run_benchmarks(stage, None) };
        let mut place = match self.set_up(group) {
            Ok(place) => place,
            Err(error) => {
                self.failures.push(error);
                self.fail(stage);
                return Ok(());
            }
        };
        self.run_benchmarks(stage, place.as_ref())?;
        if let Err(error) = self.tear_down(group, place.as_ref()) {
            self.failures.push(error);
        }
        if let Some((place, _)) = place.as_mut().filter(|_| self.launcher.settings.keep_sandbox) {
            if let Some(kept) = place.keep() {
                let path = kept.display();
                self.progress.suspend(|| eprintln!("note: the sandbox of the group is {path}"));
            }
        }
        Ok(())
    }

    /// Runs what the group has to run before its benchmarks: under Valgrind if that is a benchmark.
    fn set_up(&mut self, group: usize) -> Result<GroupPlace<'a>> {
        let Some(before) = self.measured_hook(group, HookKind::Before) else {
            let place = self.hooks.place(group)?;
            self.hooks.set_up(Some(group), place.as_ref().map(|(place, _)| place))?;
            return Ok(place);
        };
        let mut last = None;
        for (tool, seed) in self.parts(before) {
            // Each of them finds the same; the last one is the real one
            let place = self.hooks.place(group)?;
            self.measure(before, tool, seed, place.as_ref());
            last = place;
        }
        Ok(last)
    }

    /// Runs what the group has to run after its benchmarks.
    fn tear_down(&mut self, group: usize, place: Option<&(Place, &PlaceOptions)>) -> Result<()> {
        let Some(after) = self.measured_hook(group, HookKind::After) else {
            return self.hooks.tear_down(Some(group), place.map(|(place, _)| place));
        };
        for (tool, seed) in self.parts(after) {
            self.measure(after, tool, seed, place);
        }
        Ok(())
    }

    /// The benchmark that this hook of the group is, if it is one.
    fn measured_hook(&self, group: usize, kind: HookKind) -> Option<usize> {
        let benchmarks = self.launcher.benchmarks;
        benchmarks.iter().position(|it| it.group == group && it.hook == Some(kind))
    }

    fn measure(
        &mut self,
        benchmark: usize,
        tool: usize,
        seed: usize,
        place: Option<&(Place, &PlaceOptions)>,
    ) {
        let directory = place.map_or(self.hooks.package(), |(place, _)| place.path());
        // Nothing else runs meanwhile
        self.progress.started(0, self.launcher.benchmarks[benchmark].title_in_text());
        let outcome = self.launcher.measure(benchmark, tool, seed, directory);
        self.push(benchmark, tool, seed, outcome);
        self.progress.ended(0);
    }

    fn run_benchmarks(
        &mut self,
        stage: &Stage<'_>,
        place: Option<&(Place, &PlaceOptions)>,
    ) -> Result<()> {
        let Self { launcher, hooks, progress, outcomes, flow, .. } = self;
        for launch in &stage.launches {
            if flow.is_continue() {
                *flow = launcher.run(launch, progress, outcomes)?;
            }
        }
        if flow.is_break() || stage.commands.is_empty() {
            return Ok(());
        }
        let staging = launcher.output.staging()?;
        let settings = launcher.settings;
        let workshop = Workshop {
            benchmarks: launcher.benchmarks,
            hooks,
            launcher: Some(launcher),
            staging: staging.path(),
            template: place.map(|(place, options)| (place, *options)),
            keeps_sandboxes: settings.keep_sandbox,
        };
        let numbers = (settings.seeds.len(), settings.command_jobs);
        *flow = commands::run(&workshop, &stage.commands, numbers, progress, outcomes);
        Ok(())
    }

    /// The benchmarks of a stage can't run.
    fn fail(&mut self, stage: &Stage<'_>) {
        let cases = stage.launches.iter().flat_map(|launch| &launch.cases).chain(&stage.commands);
        let cases: Vec<_> = cases.map(|case| (case.benchmark, case.tool)).collect();
        let hooks = [HookKind::Before, HookKind::Setup, HookKind::Teardown, HookKind::After];
        let hooks = hooks.into_iter().filter_map(|kind| self.measured_hook(stage.group?, kind));
        let hooks: Vec<_> = hooks
            .flat_map(|hook| {
                self.parts(hook)
                    .into_iter()
                    .filter(|(_, seed)| *seed == 0)
                    .map(move |(tool, _)| (hook, tool))
            })
            .collect();
        for (benchmark, tool) in cases.into_iter().chain(hooks) {
            for seed in 0..self.launcher.settings.seeds.len() {
                let what = "it did not run, because the setup of its group failed".to_owned();
                self.push(benchmark, tool, seed, Err(Error::Case(what)));
            }
        }
    }

    /// The tools of a benchmark, each with all seeds.
    fn parts(&self, benchmark: usize) -> Vec<(usize, usize)> {
        let (tools, seeds) = (
            self.launcher.benchmarks[benchmark].options.tools.len(),
            self.launcher.settings.seeds.len(),
        );
        (0..tools).flat_map(|tool| (0..seeds).map(move |seed| (tool, seed))).collect()
    }

    fn push(&mut self, benchmark: usize, tool: usize, seed: usize, outcome: Outcome) {
        if self.flow.is_continue() {
            let part = tool * self.launcher.settings.seeds.len() + seed;
            let outcomes = &mut self.outcomes;
            self.flow = self.progress.suspend(|| outcomes.push(benchmark, part, outcome));
        }
    }
}
