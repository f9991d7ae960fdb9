//! Runs the stages: the setup of a group, its benchmarks, its teardown. Test mode uses the same loop.

use std::collections::BTreeSet;

use iai_callgrind_launch::{Place, Stage, schedule};
use iai_callgrind_plan::HookKind;
use iai_callgrind_process::interrupted;
use iai_callgrind_results::{Benchmark, RunId};

use super::commands;
use super::context::{Launcher, RunContext};
use super::launch::OutcomeReceiver;
use super::native::NativeFunctions;
use super::note::BenchmarkNote;
use super::results::Results;
use crate::error::{Error, Result};
use crate::failure::{Failure, Prerequisite};

impl<'a> RunContext<'a> {
    /// Runs all benchmarks between the setup and the teardown of the file.
    ///
    /// # Errors
    ///
    /// Returns an error if no further benchmark can run. Failures of benchmarks and hooks are reported.
    pub(super) fn run_all(&self, results: &mut Results<'_>) -> Result<()> {
        if let Err(error) = self.hooks.set_up(None, None) {
            return self.fail_all(error, results);
        }
        results.begin();
        let ran = self.run_stages(results);
        if ran.is_ok() {
            results.fail_missing();
        }
        results.end();
        ran?;
        if interrupted().is_none() {
            if let Err(error) = self.hooks.tear_down(None, None) {
                results.fail_hook(&error);
            }
        }
        Ok(())
    }

    /// Handles a failed setup of the file: an error of the whole run, or in test mode of each test.
    fn fail_all(&self, error: Error, results: &mut Results<'_>) -> Result<()> {
        if self.measuring.is_some() || interrupted().is_some() {
            return Err(error);
        }
        results.fail_hook(&error);
        for benchmark in 0..self.benchmarks.len() {
            for id in results.ids(benchmark) {
                results.record(id, Err(Failure::DidNotRun(Prerequisite::FileSetup).into()));
            }
        }
        Ok(())
    }

    fn run_stages(&self, results: &mut Results<'_>) -> Result<()> {
        let ids = |benchmark| results.ids(benchmark);
        for stage in schedule(self.benchmarks, &self.hooks.group_hooks(), ids) {
            self.run_stage(&stage, results)?;
            if results.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn run_stage(&self, stage: &Stage<'_>, results: &mut Results<'_>) -> Result<()> {
        let Some(group) = stage.group else {
            return self.run_benchmarks(stage, None, results);
        };
        let mut place = match self.set_up(group, results) {
            Ok(place) => place,
            Err(error) => {
                report_failure(&error, results);
                self.fail(stage, group, results);
                return Ok(());
            }
        };
        self.run_benchmarks(stage, place.as_ref(), results)?;
        if let Err(error) = self.tear_down(group, place.as_ref(), results) {
            report_failure(&error, results);
        }
        if self.settings.keep_sandbox {
            if let Some(path) = place.as_mut().and_then(Place::keep) {
                BenchmarkNote::Sandbox { owner: "the group", path }.print();
            }
        }
        Ok(())
    }

    /// Runs the setup of a group, under Valgrind if it is measured.
    fn set_up(&self, group: usize, results: &mut Results<'_>) -> Result<Option<Place<'a>>> {
        let Some(before) = self.measured_hook(group, HookKind::Before) else {
            let place = self.hooks.place(group)?;
            self.hooks.set_up(Some(group), place.as_ref())?;
            return Ok(place);
        };
        let mut last = None;
        for id in results.ids(before) {
            // Each measurement starts in a new directory; the benchmarks use the last one
            let place = self.hooks.place(group)?;
            self.measure(id, place.as_ref(), results);
            last = place;
        }
        Ok(last)
    }

    /// Runs the teardown of a group, under Valgrind if it is measured.
    fn tear_down(
        &self,
        group: usize,
        place: Option<&Place<'_>>,
        results: &mut Results<'_>,
    ) -> Result<()> {
        let Some(after) = self.measured_hook(group, HookKind::After) else {
            return self.hooks.tear_down(Some(group), place);
        };
        for id in results.ids(after) {
            self.measure(id, place, results);
        }
        Ok(())
    }

    /// Returns the benchmark that measures this hook of the group.
    fn measured_hook(&self, group: usize, kind: HookKind) -> Option<usize> {
        let is_hook =
            |benchmark: &Benchmark| benchmark.group == group && benchmark.hook == Some(kind);
        self.benchmarks.iter().position(is_hook)
    }

    fn measure(&self, id: RunId, place: Option<&Place<'_>>, results: &mut Results<'_>) {
        let Some(launcher) = self.launcher() else { return };
        let directory = place.map_or(&*self.hooks.package, Place::path);
        results.start(id);
        results.record(id, launcher.measure(id, directory));
    }

    fn run_benchmarks(
        &self,
        stage: &Stage<'_>,
        place: Option<&Place<'_>>,
        results: &mut Results<'_>,
    ) -> Result<()> {
        match self.launcher() {
            Some(launcher) => run_launches(launcher, stage, results)?,
            None if stage.launches.is_empty() => {}
            None => {
                let staging = (self.staging)()?;
                NativeFunctions { context: self, staging: staging.path() }.run(stage, results);
            }
        }
        if results.is_over() || stage.commands.is_empty() {
            return Ok(());
        }
        let staging = (self.staging)()?;
        commands::run(self, staging.path(), place, stage, results)
    }

    /// Records the failure of all benchmarks of a stage whose setup failed.
    fn fail(&self, stage: &Stage<'_>, group: usize, results: &mut Results<'_>) {
        let launched = stage.launches.iter().flat_map(|launch| &launch.cases);
        let cases = launched.chain(&stage.commands).map(|case| case.benchmark);
        let kinds = [HookKind::Before, HookKind::Setup, HookKind::Teardown, HookKind::After];
        let hooks = kinds.into_iter().filter_map(|kind| self.measured_hook(group, kind));
        // A benchmark has several runs
        let benchmarks: BTreeSet<_> = cases.chain(hooks).collect();
        for benchmark in benchmarks {
            for id in results.ids(benchmark) {
                results.record(id, Err(Failure::DidNotRun(Prerequisite::GroupSetup).into()));
            }
        }
    }
}

/// Runs the launches of a stage until the run must stop.
fn run_launches(
    launcher: Launcher<'_>,
    stage: &Stage<'_>,
    results: &mut Results<'_>,
) -> Result<()> {
    for launch in &stage.launches {
        if results.is_over() {
            break;
        }
        launcher.run(launch, None, results)?;
    }
    Ok(())
}

/// Reports a failed hook, unless a signal is the reason.
fn report_failure(error: &Error, results: &mut Results<'_>) {
    if interrupted().is_none() {
        results.fail_hook(error);
    }
}
