//! Launches: Valgrind commands that run the cases of library benchmarks.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use iai_callgrind_base::FileError;
use iai_callgrind_launch::{
    Ancestry, Captured, CaseEnd, CaseEvent, LaunchCases, LaunchEnd, NotReached, Places, log_tail,
    tail,
};
use iai_callgrind_plan::ValgrindTool;
use iai_callgrind_plan::protocol::{self, MeasuredRegion, ParentId, ServerEnvironment, TOOL_FILES};
use iai_callgrind_process::{Limit, NativeValue, interrupted, spawn_scoped};
use iai_callgrind_results::RunId;
use iai_callgrind_store::is_full;
use iai_callgrind_tools::stable_path::StablePath;
use iai_callgrind_tools::tool::Execution;
use iai_callgrind_tools::valgrind::ThreadLimit;
use iai_callgrind_tools::valgrind::log::without_statistics;

use super::case::{Case, unknown_instruction};
use super::context::{Launcher, RunContext};
use super::error::RunError;
use super::note::BenchmarkNote;
use super::programs::Program;
use super::readers::{self, Step};
use super::schedule::Launch;
use super::setup_time::of_slow_setup;
use crate::error::{Error, Result};
use crate::failure::{Failure, Prerequisite};
use crate::run::Outcome;

/// The file in the staging directory that receives the errors of Valgrind and of the fork server.
const SERVER_ERRORS: &str = "server.stderr";

/// An event of a launch.
pub(super) enum LaunchEvent {
    Started(RunId),
    Finished(RunId, Outcome),
    /// The code at this `place` of the file, before `next`, takes long. The measurements `over` have come to their end.
    Between {
        over: Vec<RunId>,
        next: RunId,
        place: String,
    },
}

impl Launcher<'_> {
    /// Runs measurements of a launch, in this directory or in that of the runner, until `send` returns
    /// false.
    ///
    /// # Errors
    ///
    /// Returns an error if Valgrind or the fork server ends before its cases do.
    pub(super) fn run(
        self,
        launch: &Launch<'_>,
        directory: Option<&Path>,
        mut send: impl FnMut(LaunchEvent) -> bool,
    ) -> Result<()> {
        let program = self.measuring.programs.benchmarks()?;
        let path = &program.path;
        let ids = &*launch.cases;
        let staging = (self.run.staging)()?;
        let staging = staging.path();
        let execution = (launch.tool.execution)(launch.options, self.measuring.capabilities);
        let starts: Vec<_> = ids.iter().filter_map(|id| self.run.start(*id)).collect();
        let command = |threads, files: &Path| {
            self.server_command(program, launch, execution, threads, [staging, files], directory)
        };
        let named = ids.iter().map(|id| {
            let benchmark = &self.run.benchmarks[id.benchmark];
            (benchmark.name(), &benchmark.options.place)
        });
        let logs = &Ancestry::new(staging);
        let places = &Places::new(named.collect(), &self.run.hooks.package, staging);
        let cases = LaunchCases {
            command: &command,
            starts: &starts,
            places,
            staging,
            jobs: if execution.alone {
                self.run.settings.own_process_jobs()
            } else {
                self.run.settings.jobs
            }
            .of(starts.len(), launch.max_parallel),
            limit: Limit::of_benchmark(
                self.run.settings.timeout,
                self.measuring.valgrind.has_runner(),
            ),
            own_process: execution.alone,
            foreign_ids: self.measuring.valgrind.has_runner(),
            isolation: self.run.settings.isolation,
            fixed_ids: self.fixes_ids(),
        };
        let read = |end: &CaseEnd| {
            let own = end.isolated.as_ref().map(|isolated| Ancestry::new(&isolated.files));
            self.outcome(ids[end.case], path, staging, own.as_ref().unwrap_or(logs), end)
        };
        let end = thread::scope(|scope| {
            let (sender, steps) = mpsc::channel();
            // A single case needs no other thread
            let several = ids.len() > 1;
            let readers = several.then(|| readers::start(scope, &read, &sender)).transpose()?;
            // The run ends once nothing receives steps
            let driver = spawn_scoped(scope, move || {
                self.measuring.executor.execute(cases, &mut |event| match (event, &readers) {
                    (CaseEvent::Ended(end), Some(readers)) => readers.send(end).is_ok(),
                    (event, _) => sender.send(Step::Event(event)).is_ok(),
                })
            })?;
            let mut starts_of_cases = HashMap::new();
            for step in &steps {
                let is_continued = match step {
                    Step::Event(CaseEvent::Ended(end)) => {
                        let outcome = read(&end);
                        send(self.finish(launch, places, &starts_of_cases, &end, outcome))
                    }
                    Step::Read(end, outcome) => {
                        send(self.finish(launch, places, &starts_of_cases, &end, *outcome))
                    }
                    Step::Event(CaseEvent::Started(case)) => {
                        starts_of_cases.insert(case, SystemTime::now());
                        send(LaunchEvent::Started(ids[case]))
                    }
                    Step::Event(CaseEvent::Slow { case, threads }) => {
                        let title = &self.run.benchmarks[ids[case].benchmark].title_in_text();
                        BenchmarkNote::SlowThreads { title, threads: &threads }.print();
                        true
                    }
                    Step::Event(CaseEvent::Failed(case, error)) => {
                        send(LaunchEvent::Finished(ids[case], Err(error.into())))
                    }
                    Step::Event(CaseEvent::NotReached { case, reason }) => {
                        let error = self.unreached(ids, case, reason, staging);
                        send(LaunchEvent::Finished(ids[case], Err(error)))
                    }
                    Step::Event(CaseEvent::Between { over, next }) => send(LaunchEvent::Between {
                        over: over.into_iter().map(|case| ids[case]).collect(),
                        next: ids[next],
                        place: self.place_before(ids, next),
                    }),
                };
                if !is_continued {
                    break;
                }
            }
            drop(steps);
            Ok(driver.join().unwrap()?)
        });
        match end {
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
        let mut outcome = None;
        self.run(&launch, Some(directory), |event| {
            if let LaunchEvent::Finished(_, finished) = event {
                outcome = Some(finished);
            }
            true
        })?;
        outcome.unwrap_or_else(|| match interrupted() {
            Some(signal) => Err(Error::Interrupted { signal }),
            None => Err(self.server_failure(None, path, Path::new(""))),
        })
    }

    /// Reads the outcome of a case that ended.
    fn outcome(
        self,
        id: RunId,
        path: &StablePath,
        staging: &Path,
        logs: &Ancestry<'_>,
        end: &CaseEnd,
    ) -> Outcome {
        let case = Case {
            launcher: self,
            id,
            benchmark: &self.run.benchmarks[id.benchmark],
            staging,
            logs,
            path,
            end,
            command: None,
        };
        case.finish()
    }

    /// Prints notes about a case that ended, removes its directory, and returns its event.
    fn finish(
        self,
        launch: &Launch<'_>,
        places: &Places<'_>,
        starts: &HashMap<usize, SystemTime>,
        end: &CaseEnd,
        outcome: Outcome,
    ) -> LaunchEvent {
        let id = launch.cases[end.case];
        if let Some(region) = end.region.filter(|_| id.sample == 0) {
            self.print_notes(launch, id, &region, starts.get(&end.case).copied());
        }
        self.leave(places, end.case, id);
        LaunchEvent::Finished(id, outcome)
    }

    /// Returns the error of a case that the walk through the file did not reach.
    fn unreached(self, ids: &[RunId], case: usize, reason: NotReached, staging: &Path) -> Error {
        let mut sections = Vec::new();
        let failure = match reason {
            NotReached::Absent => Failure::NotReached { panicked: false },
            NotReached::Panicked => Failure::NotReached { panicked: true },
            NotReached::Behind => return Failure::DidNotRun(Prerequisite::Code).into(),
            NotReached::Exceeded(exceeded) => {
                sections.extend(exceeded.threads().map(|threads| ("threads", threads.to_owned())));
                let reason = Box::new(Failure::Exceeded(exceeded.limit()));
                let place = self.place_before(ids, case);
                Failure::CodeBetween { place, cause: reason }
            }
        };
        let output = tail(&Captured::of_server(staging).file("stderr"));
        sections.push(("error output before the benchmark", output));
        Error::from(failure).with_output(sections)
    }

    /// Returns the name of the code of the file before this case.
    fn place_before(self, ids: &[RunId], case: usize) -> String {
        let title = |id: &RunId| self.run.benchmarks[id.benchmark].title_in_text();
        let (id, mut before) = (&ids[case], ids[..case].iter().rev());
        // A benchmark can have several measurements
        match before.find(|before| before.benchmark != id.benchmark) {
            Some(before) => format!("the code between {} and {}", title(before), title(id)),
            None => format!("the code before {}", title(id)),
        }
    }

    /// Prints notes about a case with this region, which started at this time.
    fn print_notes(
        self,
        launch: &Launch<'_>,
        id: RunId,
        region: &MeasuredRegion,
        started: Option<SystemTime>,
    ) {
        let title = &self.run.benchmarks[id.benchmark].title_in_text();
        if region.measures_itself {
            BenchmarkNote::MeasuresItself { title }.print();
        }
        if region.clock_leapt {
            BenchmarkNote::ClockLeapt { title }.print();
        }
        let is_simulated =
            launch.tool.kind == ValgrindTool::Callgrind && !launch.options.cold_caches;
        let times = started.filter(|_| is_simulated).and_then(|it| of_slow_setup(it, region));
        if let Some(times) = times {
            BenchmarkNote::SlowSetup { title, times }.print();
        }
    }

    /// Removes the directory of a case that ended, or prints its path if it is kept.
    fn leave(self, places: &Places<'_>, case: usize, id: RunId) {
        let place = places.take(case);
        let Some(mut place) = place.filter(|_| self.run.settings.keep_sandbox) else { return };
        if let Some(path) = place.keep() {
            BenchmarkNote::Sandbox { owner: &self.run.benchmarks[id.benchmark].name(), path }
                .print();
        }
    }

    /// Returns the command that starts the executable under Valgrind as a fork server, with directories for captured output
    /// and for the files of the tool.
    fn server_command(
        self,
        program: &Program,
        launch: &Launch<'_>,
        execution: Execution,
        threads: ThreadLimit,
        [staging, files]: [&Path; 2],
        directory: Option<&Path>,
    ) -> Result<Command, iai_callgrind_tools::Error> {
        let Launcher { run: RunContext { settings, .. }, measuring } = self;
        let valgrind = &measuring.valgrind;
        let (mut command, strings) = self.command(program, launch, execution, threads, files)?;
        let environment = ServerEnvironment {
            measuring: protocol::Measuring {
                counting: execution.counting,
                cold_caches: launch.options.cold_caches,
                separate_threads: launch.options.separate_threads,
                warm_up_calls: settings.warm_up_calls,
                calls: settings.calls,
                checks_allocator: launch.tool.needs_allocator(&launch.options.arguments),
            },
            cpus: settings.isolation.cpus().number(),
            virtual_clock: !settings.isolation.is_native(NativeValue::Clock),
            parent: if settings.isolation.is_native(NativeValue::Ids) {
                ParentId::Native
            } else {
                ParentId::Hidden
            },
            stops_threads: valgrind.can_order_threads()?,
            marks_log: launch.options.traces_heap,
            directory: valgrind.directory(staging).to_string_lossy().into_owned(),
        };
        let errors = staging.join(SERVER_ERRORS);
        command
            .envs(environment.variables(strings))
            .stderr(File::create(&errors).map_err(FileError::io("create", &errors))?);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        log::debug!("running {command:?}");
        Ok(command)
    }

    /// Returns the error of a server that ended before its cases, with everything that was printed.
    fn server_failure(
        self,
        status: Option<ExitStatus>,
        path: &StablePath,
        staging: &Path,
    ) -> Error {
        let program = self.measuring.valgrind.program.clone();
        // Without a directory there is no server whose files could be there
        if staging != Path::new("") && !staging.is_dir() {
            let cause = RunError::ServerEnded { program, status, instruction: None };
            let path = staging.to_owned();
            return Error::DirectoryRemoved { path, cause: Box::new(cause.into()) };
        }
        let directories = [staging.to_owned(), staging.join(TOOL_FILES)];
        let entries = directories.iter().flat_map(fs::read_dir).flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let log =
            paths.filter(|path| path.extension().is_some_and(|extension| extension == "log")).min();
        let log = log.unwrap_or_default();
        let instruction = status.and_then(|status| {
            unknown_instruction(&log, status, path, self.run.settings.isolation)
        });
        let server = tail(&Captured::of_server(staging).file("stderr"));
        if is_full(staging) {
            return FileError::Full { path: staging.parent().unwrap_or(staging).to_owned() }.into();
        }
        Error::from(RunError::ServerEnded { program, status, instruction }).with_output(vec![
            ("error output of Valgrind", tail(&staging.join(SERVER_ERRORS))),
            ("error output of the fork server", server),
            ("log", without_statistics(&log_tail(&log, path)).to_owned()),
        ])
    }
}
