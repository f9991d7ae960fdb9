//! Launches: runs the cases of one Valgrind command, reads their files, and sends their outcomes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use iai_callgrind_launch::{
    Ancestry, Captured, CaseEnd, CaseEvent, Launch, LaunchCases, LaunchEnd, NotReached, Places,
    tail,
};
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::protocol::MeasuredRegion;
use iai_callgrind_process::{Limit, interrupted, spawn_scoped};
use iai_callgrind_results::RunId;
use iai_callgrind_tools::stable_path::StablePath;

use super::case::Case;
use super::context::Launcher;
use super::note::BenchmarkNote;
use super::readers::{self, ReadEnd};
use super::setup_time::of_slow_setup;
use crate::error::{Error, Result};
use crate::failure::{Failure, Prerequisite};
use crate::run::Outcome;

/// A receiver of the outcomes of measurements.
pub(super) trait OutcomeReceiver {
    /// Handles the start of a measurement.
    fn start(&mut self, id: RunId);

    /// Handles the outcome of a measurement.
    fn record(&mut self, id: RunId, outcome: Outcome);

    /// Handles slow code at this `location` of the file, before `next`. The measurements `finished`
    /// have ended.
    fn report_slow_code(&mut self, finished: &[RunId], next: RunId, location: &str);

    /// Returns `true` if nothing more must run.
    fn is_over(&self) -> bool;
}

/// Keeps the outcome of the only measurement of a launch, which its caller reports.
struct SingleOutcome(Option<Outcome>);

impl OutcomeReceiver for SingleOutcome {
    fn start(&mut self, _: RunId) {}

    fn record(&mut self, _: RunId, outcome: Outcome) {
        self.0 = Some(outcome);
    }

    fn report_slow_code(&mut self, _: &[RunId], _: RunId, _: &str) {}

    fn is_over(&self) -> bool {
        false
    }
}

impl Launcher<'_> {
    /// Runs measurements of a launch, in this directory or in the runner's, until the receiver is over.
    ///
    /// # Errors
    ///
    /// Returns an error if Valgrind or the fork server exits before its cases are finished.
    pub(super) fn run(
        self,
        launch: &Launch<'_>,
        directory: Option<&Path>,
        receiver: &mut dyn OutcomeReceiver,
    ) -> Result<()> {
        let program = self.measuring.programs.benchmarks()?;
        let path = &program.path;
        let ids = &*launch.cases;
        let staging = (self.run.staging)()?;
        let staging = staging.path();
        let execution = (launch.tool.execution)(launch.options, self.measuring.capabilities);
        let samples = &self.run.settings.samples;
        let start = |id: &RunId| self.run.benchmarks[id.benchmark].start(samples.seed(id.sample));
        let starts: Vec<_> = ids.iter().filter_map(start).collect();
        let command = |threads, files: &Path| {
            self.server_command(program, launch, execution, threads, [staging, files], directory)
        };
        let (settings, has_runner) = (self.run.settings, self.measuring.valgrind.has_runner());
        let jobs = if execution.alone { settings.own_process_jobs() } else { settings.jobs };
        let named = ids.iter().map(|id| {
            let benchmark = &self.run.benchmarks[id.benchmark];
            (benchmark.name(), &benchmark.options.place)
        });
        let places = &Places::new(named.collect(), &self.run.hooks.package, staging);
        let cases = LaunchCases {
            command: &command,
            starts: &starts,
            places,
            staging,
            jobs: jobs.of(starts.len(), launch.max_parallel),
            limit: Limit::of_benchmark(settings.timeout, has_runner),
            own_process: execution.alone,
            foreign_ids: has_runner,
            isolation: settings.isolation,
            fixed_ids: self.fixes_ids(),
        };
        let logs = Ancestry::new(staging);
        let running = Running { launcher: self, launch, path, staging, places, logs };
        match running.execute(cases, receiver) {
            _ if interrupted().is_some() => Ok(()),
            Ok(LaunchEnd::Complete) => Ok(()),
            Ok(LaunchEnd::ServerEnded(status)) => Err(self.server_failure(status, path, staging)),
            Err(error) => Err(error),
        }
    }

    /// Runs a single measurement in this directory.
    pub(super) fn measure(self, id: RunId, directory: &Path) -> Outcome {
        let path = &self.measuring.programs.benchmarks()?.path;
        let launch = Launch::of_single(self.run.benchmarks, id);
        let mut single = SingleOutcome(None);
        self.run(&launch, Some(directory), &mut single)?;
        single.0.unwrap_or_else(|| match interrupted() {
            Some(signal) => Err(Error::Interrupted { signal }),
            None => Err(self.server_failure(None, path, Path::new(""))),
        })
    }
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
    /// Executes these cases until the receiver is over. They run on a thread, and other threads read
    /// their files.
    pub(super) fn execute(
        &self,
        cases: LaunchCases<'_>,
        receiver: &mut dyn OutcomeReceiver,
    ) -> Result<LaunchEnd> {
        let read = |end: &CaseEnd| self.read(end);
        let is_over = &AtomicBool::new(false);
        thread::scope(|scope| {
            let (sender, events) = mpsc::channel();
            // A single case needs no other thread. Nothing is stored after a broken limit that ends the run, so results are
            // read one after the other
            let has_readers = self.launch.cases.len() > 1 && !self.fails_fast();
            let readers = has_readers.then(|| readers::start(scope, &read, &sender)).transpose()?;
            let driver = spawn_scoped(scope, move || {
                let executor = self.launcher.measuring.executor;
                executor.execute(cases, &mut |event| match (event, &readers) {
                    _ if is_over.load(Ordering::Relaxed) => false,
                    (CaseEvent::Ended(end), Some(readers)) => readers.send(end).is_ok(),
                    (event, _) => sender.send(event.map_end(|end| (end, None))).is_ok(),
                })
            })?;
            let mut starts = HashMap::new();
            // The readers store results up to their end, and what is stored is reported
            for event in events {
                self.handle(event, &mut starts, receiver);
                is_over.fetch_or(receiver.is_over(), Ordering::Relaxed);
            }
            Ok(driver.join().unwrap()?)
        })
    }

    /// Returns true if a broken limit of a case ends the run.
    fn fails_fast(&self) -> bool {
        let benchmarks = self.launcher.run.benchmarks;
        let tools = self.launch.cases.iter().flat_map(|id| &benchmarks[id.benchmark].options.tools);
        tools.into_iter().any(|options| options.fail_fast)
    }

    /// Handles an event, with the start times of cases.
    fn handle(
        &self,
        event: CaseEvent<ReadEnd>,
        starts: &mut HashMap<usize, SystemTime>,
        receiver: &mut dyn OutcomeReceiver,
    ) {
        let ids = &self.launch.cases;
        match event {
            CaseEvent::Started(case) => {
                starts.insert(case, SystemTime::now());
                receiver.start(ids[case]);
            }
            CaseEvent::Slow { case, threads } => {
                let title = &self.title(ids[case]);
                BenchmarkNote::SlowThreads { title, threads: &threads }.print();
            }
            CaseEvent::Ended((end, outcome)) => {
                let must_stop = receiver.is_over() && interrupted().is_none();
                let outcome = match outcome {
                    Some(outcome) => Some(*outcome),
                    None => (!must_stop).then(|| self.read(&end)),
                };
                self.leave(&end, starts.get(&end.case).copied());
                if let Some(outcome) = outcome {
                    receiver.record(ids[end.case], outcome);
                }
            }
            CaseEvent::Failed(case, error) => receiver.record(ids[case], Err(error.into())),
            CaseEvent::NotReached { case, reason } => {
                receiver.record(ids[case], Err(self.unreached(case, reason)));
            }
            CaseEvent::SlowCode { finished, next } => {
                let finished: Vec<_> = finished.into_iter().map(|case| ids[case]).collect();
                receiver.report_slow_code(&finished, ids[next], &self.place_before(next));
            }
        }
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

    /// Returns the error of a case that the walk through the file did not reach.
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

    /// Prints notes about a finished case. Removes its directory, or prints its path if it is kept.
    fn leave(&self, end: &CaseEnd, started: Option<SystemTime>) {
        let id = self.launch.cases[end.case];
        if let Some(region) = end.region.filter(|_| id.sample == 0) {
            self.print_notes(id, &region, started);
        }
        let place = self.places.take(end.case);
        let run = self.launcher.run;
        let Some(mut place) = place.filter(|_| run.settings.keep_sandbox) else { return };
        if let Some(path) = place.keep() {
            let owner = &run.benchmarks[id.benchmark].name();
            BenchmarkNote::Sandbox { owner, path }.print();
        }
    }
}
