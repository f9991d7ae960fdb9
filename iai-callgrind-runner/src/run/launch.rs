//! A launch: one Valgrind command that runs many cases.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::thread;

use iai_callgrind_plan::protocol::{Measuring, SERVER_NUMBER, ServerEnvironment, Start};

use super::alone::run_alone;
use super::case::{Case, capture_file, tail};
use super::command::Turn;
use super::export::Export;
use super::order::InOrder;
use super::programs::{Program, Programs};
use super::schedule::{self, LaunchCase};
use super::server::{Complete, Ended, Event, Server};
use crate::benchmark::{Benchmark, Subject};
use crate::cli::Shown;
use crate::error::{Error, Result};
use crate::executable::Executable;
use crate::options::ToolOptions;
use crate::output::OutputDirectory;
use crate::process::interrupted;
use crate::report::progress::Progress;
use crate::result::Outcome;
use crate::settings::Settings;
use crate::stable_path::StablePath;
use crate::tool::{Capabilities, Execution, Launch};
use crate::valgrind::{Client, Valgrind};

/// Where the fork server's own errors go in the staging directory.
const SERVER_ERRORS: &str = "server.stderr";

/// What launches need.
pub(super) struct Launcher<'a> {
    pub(super) benchmarks: &'a [Benchmark],
    pub(super) settings: &'a Settings,
    pub(super) executable: &'a Executable,
    /// The path that it runs under.
    pub(super) link: &'a StablePath,
    /// The programs of commands.
    pub(super) programs: Programs<'a>,
    pub(super) valgrind: Valgrind,
    pub(super) capabilities: Capabilities,
    pub(super) output: &'a OutputDirectory,
}

impl Launcher<'_> {
    /// Runs the benchmarks of a launch, each under all seeds. Breaks if the run shall end.
    pub(super) fn run(
        &self,
        launch: &schedule::Launch<'_>,
        progress: &Progress,
        outcomes: &mut InOrder<'_>,
    ) -> Result<ControlFlow<()>> {
        let Self { benchmarks, settings, .. } = *self;
        let staging = self.output.staging()?;
        let execution = (launch.tool.execution)(launch.options, self.capabilities);
        let seeds = &settings.seeds;
        let starts: Vec<_> = launch.cases.iter().flat_map(|case| self.starts(*case)).collect();
        let number = if execution.alone { starts.len() } else { 1 };
        let commands = (0..number).map(|_| self.command(launch, execution, staging.path(), None));
        let commands = commands.collect::<Result<Vec<_>>>()?;

        let (complete, flow) = thread::scope(|scope| {
            let (sender, events) = mpsc::channel();
            let driver = scope.spawn(move || {
                // When nobody listens any more the run is to end
                let tell = |event| sender.send(event).is_ok();
                let how = (settings.jobs, settings.timeout);
                if execution.alone {
                    run_alone(commands, &starts, how, tell)
                } else {
                    Server::run_all(commands, &starts, how, tell)
                }
            });
            let mut flow = ControlFlow::Continue(());
            for event in &events {
                match event {
                    Event::Started(index) => {
                        let case = launch.cases[index / seeds.len()];
                        progress.started(index, benchmarks[case.benchmark].title_in_text());
                    }
                    Event::Ended(ended) => {
                        let (case, seed) = (ended.case / seeds.len(), ended.case % seeds.len());
                        let LaunchCase { benchmark, tool } = launch.cases[case];
                        let outcome = self.outcome(launch, staging.path(), &ended, seed == 0);
                        let part = tool * seeds.len() + seed;
                        flow = progress.suspend(|| outcomes.push(benchmark, part, outcome));
                        progress.ended(ended.case);
                        if flow.is_break() {
                            break;
                        }
                    }
                }
            }
            drop(events);
            (driver.join(), flow)
        });
        match complete {
            _ if interrupted().is_some() => Ok(ControlFlow::Break(())),
            Ok(Ok(Complete::Yes)) => Ok(flow),
            Ok(Ok(Complete::No(status))) => Err(self.server_failure(status, staging.path())),
            Ok(Err(error)) => Err(error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// A case under each of the seeds.
    fn starts(&self, case: LaunchCase) -> impl Iterator<Item = Start> {
        let start = match &self.benchmarks[case.benchmark].subject {
            Subject::Library { start, .. } => Some(*start),
            Subject::Binary(_) => None,
        };
        start
            .into_iter()
            .flat_map(|start| self.settings.seeds.iter().map(move |&seed| Start { seed, ..start }))
    }

    /// Runs a benchmark that is a hook, under one of its tools and one of the seeds, in this directory.
    pub(super) fn measure(
        &self,
        benchmark: usize,
        tool: usize,
        seed: usize,
        directory: &Path,
    ) -> Outcome {
        let options = &self.benchmarks[benchmark].options;
        let case = LaunchCase { benchmark, tool };
        let launch = schedule::Launch {
            tool: options.tools[tool].tool,
            options: &options.tools[tool].launch,
            environment: &options.environment,
            cases: vec![case],
        };
        let staging = self.output.staging()?;
        let execution = (launch.tool.execution)(launch.options, self.capabilities);
        let command = self.command(&launch, execution, staging.path(), Some(directory))?;
        let starts: Vec<_> = self.starts(case).skip(seed).take(1).collect();
        let mut ended = None;
        let tell = |event| {
            if let Event::Ended(event) = event {
                ended = Some(event);
            }
            true
        };
        let how = (1, self.settings.timeout);
        let complete = if execution.alone {
            run_alone(vec![command], &starts, how, tell)?
        } else {
            Server::run_all(vec![command], &starts, how, tell)?
        };
        let ended = ended.map(|ended| Ended { case: 0, ..ended });
        match (complete, ended) {
            (Complete::Yes, Some(ended)) => {
                self.outcome(&launch, staging.path(), &ended, seed == 0)
            }
            (Complete::No(status), _) => Err(self.server_failure(status, staging.path())),
            (Complete::Yes, None) => Err(self.server_failure(None, staging.path())),
        }
    }

    /// Runs a command under Valgrind.
    pub(super) fn run_command(
        &self,
        turn: &Turn<'_>,
        directory: &Path,
        stdin: Option<OwnedFd>,
    ) -> Outcome {
        let options = &turn.benchmark.options;
        let ToolOptions { tool, launch, .. } = &options.tools[turn.tool];
        let program = self.programs.get(turn.program(directory)?)?;
        let Program { executable, link, .. } = &*program;
        let staging = turn.workshop.staging;
        let isolation = self.settings.isolation;
        let client = Client::new(executable, link, &options.environment, isolation);
        let mut command = self.valgrind.command(tool.valgrind_name, staging, &client);
        command
            .args((tool.arguments)(&Launch {
                directory: staging,
                execution: Execution::COMMAND,
                functions: &BTreeSet::new(),
                options: launch,
            }))
            .args(&launch.arguments)
            .arg(link.path());
        let ended = turn.finish_command(&mut command, directory, stdin)?;
        turn.result(self, link, ended)
    }

    /// What came of a case that has ended.
    fn outcome(
        &self,
        launch: &schedule::Launch<'_>,
        staging: &Path,
        ended: &Ended,
        is_kept: bool,
    ) -> Outcome {
        let LaunchCase { benchmark, tool } = launch.cases[ended.case / self.settings.seeds.len()];
        let benchmark = &self.benchmarks[benchmark];
        let case = Case {
            staging,
            tool: launch.tool,
            options: launch.options,
            link: self.link,
            ended,
            // The default tool's run shows what the benchmark prints
            shown: if tool == 0 { self.settings.shown } else { Shown::default() },
            wanted: &benchmark.options.tools[tool].wanted(),
            command: None,
        };
        let export = || Export::of(benchmark, &benchmark.options.tools[tool], &self.settings.mode);
        case.finish(is_kept.then(export))
    }

    /// The command that has Valgrind run the executable as a fork server, in this directory or where this
    /// process is.
    fn command(
        &self,
        launch: &schedule::Launch<'_>,
        execution: Execution,
        staging: &Path,
        directory: Option<&Path>,
    ) -> Result<Command> {
        let subjects = launch.cases.iter().map(|case| &self.benchmarks[case.benchmark].subject);
        let functions = subjects.filter_map(|subject| match subject {
            Subject::Library { function, .. } => Some(function),
            Subject::Binary(_) => None,
        });
        let functions: BTreeSet<_> = functions.collect();
        let options = launch.options;
        let isolation = self.settings.isolation;
        let client = Client::new(self.executable, self.link, launch.environment, isolation);
        let environment = ServerEnvironment {
            measuring: Measuring {
                counting: execution.counting,
                cold_caches: options.cold_caches,
                separate_threads: options.separate_threads,
            },
            directory: staging.to_string_lossy().into_owned(),
        };
        let errors = staging.join(SERVER_ERRORS);
        let mut command = self.valgrind.command(launch.tool.valgrind_name, staging, &client);
        command
            .args((launch.tool.arguments)(&Launch {
                directory: staging,
                execution,
                functions: &functions,
                options,
            }))
            .args(&options.arguments)
            .arg(self.link.path())
            .envs(environment.variables(client.stack_strings()))
            .stderr(File::create(&errors).map_err(Error::io("create", &errors))?);
        if let Some(directory) = directory {
            command.current_dir(directory);
        }
        log::debug!("running {command:?}");
        Ok(command)
    }

    /// Why the server did not get to the end of its cases, in the words of Valgrind.
    fn server_failure(&self, status: Option<ExitStatus>, staging: &Path) -> Error {
        let status = status.map_or_else(String::new, |status| format!(" ({status})"));
        let logs = fs::read_dir(staging).into_iter().flatten().flatten().map(|entry| entry.path());
        let log = logs.filter(|path| path.extension().is_some_and(|it| it == "log")).min();
        let log = log.as_deref().map(tail).unwrap_or_default();
        let server = tail(&capture_file(staging, SERVER_NUMBER, "stderr"));
        let said = vec![
            ("error output of Valgrind", tail(&staging.join(SERVER_ERRORS))),
            ("error output of the fork server", server),
            ("log", self.link.restored(&log)),
        ];
        let program = self.valgrind.program().display();
        Error::Process { what: format!("{program} ended before the benchmarks did{status}"), said }
    }
}
