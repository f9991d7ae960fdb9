//! Runs the cases of a launch, reads their files, and sends their events.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use iai_callgrind_launch::{
    Ancestry, Captured, CaseEnd, CaseEvent, LaunchCases, LaunchEnd, NotReached, Places, tail,
};
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::protocol::MeasuredRegion;
use iai_callgrind_process::spawn_scoped;
use iai_callgrind_results::RunId;
use iai_callgrind_tools::stable_path::StablePath;

use super::case::Case;
use super::context::Launcher;
use super::note::BenchmarkNote;
use super::readers::{self, Step};
use super::schedule::Launch;
use super::setup_time::of_slow_setup;
use crate::error::{Error, Result};
use crate::failure::{Failure, Prerequisite};
use crate::run::Outcome;

/// An event of a launch.
pub(super) enum LaunchEvent {
    Started(RunId),
    Finished(RunId, Outcome),
    /// The code at this `place` of the file, before `next`, is slow. The measurements `over` are
    /// finished.
    Between {
        over: Vec<RunId>,
        next: RunId,
        place: String,
    },
}

/// A launch whose cases run.
pub(super) struct Running<'a> {
    pub(super) launcher: Launcher<'a>,
    pub(super) launch: &'a Launch<'a>,
    pub(super) path: &'a StablePath,
    pub(super) staging: &'a Path,
    pub(super) places: &'a Places<'a>,
    /// The processes of cases without a namespace of their own.
    pub(super) logs: Ancestry<'a>,
}

impl Running<'_> {
    /// Executes these cases, until `send` returns `false`. They run on a thread, and other threads
    /// read their files.
    pub(super) fn execute(
        &self,
        cases: LaunchCases<'_>,
        send: &mut dyn FnMut(LaunchEvent) -> bool,
    ) -> Result<LaunchEnd> {
        let read = |end: &CaseEnd| self.read(end);
        thread::scope(|scope| {
            let (sender, steps) = mpsc::channel();
            // A single case needs no other thread
            let several = self.launch.cases.len() > 1;
            let readers = several.then(|| readers::start(scope, &read, &sender)).transpose()?;
            // The run ends once nothing receives steps
            let driver = spawn_scoped(scope, move || {
                let executor = self.launcher.measuring.executor;
                executor.execute(cases, &mut |event| match (event, &readers) {
                    (CaseEvent::Ended(end), Some(readers)) => readers.send(end).is_ok(),
                    (event, _) => sender.send(Step::Event(event)).is_ok(),
                })
            })?;
            let mut starts = HashMap::new();
            let mut events = steps.iter().filter_map(|step| self.event(step, &mut starts));
            let _ = events.all(send);
            drop(events);
            drop(steps);
            Ok(driver.join().unwrap()?)
        })
    }

    /// Returns the event of a step, with the start times of cases.
    fn event(&self, step: Step, starts: &mut HashMap<usize, SystemTime>) -> Option<LaunchEvent> {
        let ids = &self.launch.cases;
        Some(match step {
            Step::Read(end, outcome) => self.finish(starts, &end, *outcome),
            Step::Event(CaseEvent::Ended(end)) => self.finish(starts, &end, self.read(&end)),
            Step::Event(CaseEvent::Started(case)) => {
                starts.insert(case, SystemTime::now());
                LaunchEvent::Started(ids[case])
            }
            Step::Event(CaseEvent::Slow { case, threads }) => {
                let title = &self.title(ids[case]);
                BenchmarkNote::SlowThreads { title, threads: &threads }.print();
                return None;
            }
            Step::Event(CaseEvent::Failed(case, error)) => {
                LaunchEvent::Finished(ids[case], Err(error.into()))
            }
            Step::Event(CaseEvent::NotReached { case, reason }) => {
                LaunchEvent::Finished(ids[case], Err(self.unreached(case, reason)))
            }
            Step::Event(CaseEvent::Between { over, next }) => LaunchEvent::Between {
                over: over.into_iter().map(|case| ids[case]).collect(),
                next: ids[next],
                place: self.place_before(next),
            },
        })
    }

    /// Reads the outcome of a case that ended.
    fn read(&self, end: &CaseEnd) -> Outcome {
        let own = end.isolated.as_ref().map(|isolated| Ancestry::new(&isolated.files));
        let id = self.launch.cases[end.case];
        let case = Case {
            launcher: self.launcher,
            id,
            benchmark: &self.launcher.run.benchmarks[id.benchmark],
            staging: self.staging,
            logs: own.as_ref().unwrap_or(&self.logs),
            path: self.path,
            end,
            command: None,
        };
        case.finish()
    }

    /// Prints notes about a finished case, removes its directory, and returns its event.
    fn finish(
        &self,
        starts: &HashMap<usize, SystemTime>,
        end: &CaseEnd,
        outcome: Outcome,
    ) -> LaunchEvent {
        let id = self.launch.cases[end.case];
        if let Some(region) = end.region.filter(|_| id.sample == 0) {
            self.print_notes(id, &region, starts.get(&end.case).copied());
        }
        self.leave(end.case, id);
        LaunchEvent::Finished(id, outcome)
    }

    /// Returns the error of a case that the traversal of the file did not reach.
    fn unreached(&self, case: usize, reason: NotReached) -> Error {
        let mut sections = Vec::new();
        let failure = match reason {
            NotReached::Absent => Failure::NotReached { panicked: false },
            NotReached::Panicked => Failure::NotReached { panicked: true },
            NotReached::Behind => return Failure::DidNotRun(Prerequisite::Code).into(),
            NotReached::Exceeded(exceeded) => {
                sections.extend(exceeded.threads().map(|threads| ("threads", threads.to_owned())));
                let reason = Box::new(Failure::Exceeded(exceeded.limit()));
                Failure::CodeBetween { place: self.place_before(case), cause: reason }
            }
        };
        let output = tail(&Captured::of_server(self.staging).file("stderr"));
        sections.push(("error output before the benchmark", output));
        Error::from(failure).with_output(sections)
    }

    /// Returns the name of the code of the file before this case.
    fn place_before(&self, case: usize) -> String {
        let ids = &self.launch.cases;
        let (id, mut before) = (ids[case], ids[..case].iter().rev());
        // A benchmark can have several measurements
        match before.find(|before| before.benchmark != id.benchmark) {
            Some(before) => {
                format!("the code between {} and {}", self.title(*before), self.title(id))
            }
            None => format!("the code before {}", self.title(id)),
        }
    }

    /// Returns the name of a benchmark in a text.
    fn title(&self, id: RunId) -> String {
        self.launcher.run.benchmarks[id.benchmark].title_in_text()
    }

    /// Prints notes about a case with this region, which started at this time.
    fn print_notes(&self, id: RunId, region: &MeasuredRegion, started: Option<SystemTime>) {
        let title = &self.title(id);
        if region.measures_itself {
            BenchmarkNote::MeasuresItself { title }.print();
        }
        if region.clock_leapt {
            BenchmarkNote::ClockLeapt { title }.print();
        }
        let Launch { tool, options, .. } = self.launch;
        let is_simulated = tool.kind == ValgrindTool::Callgrind && !options.cold_caches;
        let times = started.filter(|_| is_simulated).and_then(|it| of_slow_setup(it, region));
        if let Some(times) = times {
            BenchmarkNote::SlowSetup { title, times }.print();
        }
    }

    /// Removes the directory of a finished case, or prints its path if it is kept.
    fn leave(&self, case: usize, id: RunId) {
        let place = self.places.take(case);
        let run = self.launcher.run;
        let Some(mut place) = place.filter(|_| run.settings.keep_sandbox) else { return };
        if let Some(path) = place.keep() {
            let owner = &run.benchmarks[id.benchmark].name();
            BenchmarkNote::Sandbox { owner, path }.print();
        }
    }
}
