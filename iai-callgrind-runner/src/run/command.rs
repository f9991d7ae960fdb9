//! Runs a command in its directory, between its setup and its teardown.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use iai_callgrind_cli::settings::Settings;
use iai_callgrind_launch::{
    Ancestry, Captured, CaseEnd, Isolated, Launch, Place, Shown, capture_number, check_directory,
    create_output, of_single, open_input, wait_for_event,
};
use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{self as plan, HookKind};
use iai_callgrind_process::{
    Cpus, FixedSystemCalls, Limit, ProcessError, RunningProcess, StoppedCalls, Stopwatch,
    SystemCallAnswers, ThreadOrder,
};
use iai_callgrind_results::{Benchmark, BinaryCase, RunId, ToolOptions};
use iai_callgrind_tools::tool::{Execution, IT, Measurement};
use iai_callgrind_tools::valgrind::{ThreadLimit, keep_on_one_cpu};

use super::case::{Case, help_in_parallel, unexpected_end};
use super::context::{Launcher, Measuring, RunContext};
use super::error::CommandFailure;
use super::hooks::RunningHook;
use super::note::BenchmarkNote;
use super::programs::find_program;
use crate::error::{Error, Result};
use crate::failure::{Failure, Prerequisite};
use crate::run::Outcome;

/// Time for a parallel setup to exit after its command.
const GRACE: Duration = Duration::from_millis(500);

/// One run of a command.
pub(super) struct CommandRun<'a> {
    pub(super) run: &'a RunContext<'a>,
    /// The directory of captured output and of the files of the tool.
    pub(super) staging: &'a Path,
    /// The sandbox of the group. Each sandbox starts as a copy of it.
    pub(super) template: Option<&'a Place<'a>>,
    pub(super) id: RunId,
    pub(super) benchmark: &'a Benchmark,
    pub(super) case: &'a BinaryCase,
    /// The number of its captured output.
    pub(super) number: usize,
    /// Other commands run at the same time.
    pub(super) in_parallel: bool,
    /// The benchmarks that measure its setup and its teardown.
    pub(super) measured: Vec<(HookKind, usize)>,
    /// A copy of its program, for native runs.
    pub(super) copy: Option<PathBuf>,
}

/// The outcomes of a run of a command.
pub(super) struct CommandOutcomes {
    pub(super) command: Outcome,
    /// The outcomes of the measured hooks, by the indexes of their benchmarks.
    pub(super) hooks: Vec<(usize, Outcome)>,
    /// The path of the sandbox, if it is kept.
    pub(super) kept: Option<PathBuf>,
}

impl<'a> CommandRun<'a> {
    /// Returns the first run of this benchmark, whose output goes to `staging`; `None` if it is not a command.
    pub(super) fn new(
        run: &'a RunContext<'a>,
        staging: &'a Path,
        benchmark: usize,
    ) -> Option<Self> {
        let id = RunId { benchmark, tool: 0, sample: 0 };
        let benchmark = &run.benchmarks[benchmark];
        Some(Self {
            run,
            staging,
            template: None,
            id,
            benchmark,
            case: benchmark.command()?,
            number: 0,
            in_parallel: false,
            measured: Vec::new(),
            copy: None,
        })
    }

    /// Runs the command and its hooks, and collects their outcomes.
    pub(super) fn run(&self) -> CommandOutcomes {
        let RunContext { settings, hooks, .. } = self.run;
        let mut measured = Vec::new();
        let mut kept = None;
        let options = &self.benchmark.options.place;
        let command = Place::create(options, &hooks.package, self.template, &self.benchmark.name())
            .map_err(Error::from)
            .and_then(|mut place| {
                let outcome = self.run_in(&place, &mut measured);
                if settings.keep_sandbox {
                    kept = place.keep().map(Path::to_owned);
                }
                outcome
            });
        let command = command.map_err(|error| self.with_command(error));
        for (_, index) in &self.measured {
            if !measured.iter().any(|(found, _)| found == index) {
                measured.push((*index, Err(Failure::DidNotRun(Prerequisite::Setup).into())));
            }
        }
        CommandOutcomes { command, hooks: measured, kept }
    }

    /// Runs the command between its hooks. The teardown runs if the setup succeeded, whatever the outcome
    /// of the command.
    fn run_in(&self, place: &Place<'_>, hooks: &mut Vec<(usize, Outcome)>) -> Outcome {
        let mut shown = Vec::new();
        let setup = self.set_up(place, hooks, &mut shown)?;
        let outcome = self.run_with_setup(setup, place, &mut shown);
        let (before, mut after) = (shown, Vec::new());
        let torn_down = self.run_hook(HookKind::Teardown, place, hooks, &mut after);
        let mut measurement = outcome?;
        torn_down?;
        if self.id.tool == 0 && !(before.is_empty() && after.is_empty()) {
            let own = measurement.output.take().unwrap_or_default();
            measurement.output = Some([before, own, after].concat());
        }
        Ok(measurement)
    }

    /// Runs the setup, or starts it if it runs in parallel to the command.
    fn set_up(
        &self,
        place: &Place<'_>,
        hooks: &mut Vec<(usize, Outcome)>,
        shown: &mut Vec<u8>,
    ) -> Result<Option<RunningHook>> {
        let pipe = match self.case.command.stdin {
            plan::Stdin::Setup { pipe } => Some(pipe),
            _ => None,
        };
        let is_parallel = self.benchmark.options.setup_parallel || pipe.is_some();
        if !is_parallel {
            self.run_hook(HookKind::Setup, place, hooks, shown)?;
            return Ok(None);
        }
        if !self.case.hooks.setup {
            return if pipe.is_some() { Err(CommandFailure::NoSetup.into()) } else { Ok(None) };
        }
        self.run.hooks.start(self.hook(true), Some(place.path()), pipe).map(Some)
    }

    /// Runs the setup or the teardown, under Valgrind if it is measured.
    fn run_hook(
        &self,
        kind: HookKind,
        place: &Place<'_>,
        hooks: &mut Vec<(usize, Outcome)>,
        shown: &mut Vec<u8>,
    ) -> Result<()> {
        let is_setup = kind == HookKind::Setup;
        let measured = self.measured.iter().find(|(found, _)| *found == kind);
        if let (Some((_, benchmark)), Some(launcher)) = (measured, self.run.launcher()) {
            let id = RunId { benchmark: *benchmark, ..self.id };
            let outcome = launcher.measure(id, place.path());
            let has_failed = outcome.is_err();
            hooks.push((*benchmark, outcome));
            let hook = if is_setup { "the setup" } else { "the teardown" }.to_owned();
            return if has_failed {
                Err(CommandFailure::HookFailed { hook }.into())
            } else {
                Ok(())
            };
        }
        let exists = if is_setup { self.case.hooks.setup } else { self.case.hooks.teardown };
        if !exists {
            return Ok(());
        }
        let RunContext { hooks, settings, .. } = self.run;
        let mut running = hooks.start(self.hook(is_setup), Some(place.path()), None)?;
        let status = running.wait(settings.timeout)?;
        shown.extend(running.into_output(status)?);
        Ok(())
    }

    /// Runs the command, and then ends its parallel setup if there is one.
    fn run_with_setup(
        &self,
        mut setup: Option<RunningHook>,
        place: &Place<'_>,
        shown: &mut Vec<u8>,
    ) -> Outcome {
        let directory = place.current_dir();
        // The read end stays open, so that the setup can write more than the command reads
        let pipe = setup.as_mut().and_then(RunningHook::take_pipe);
        let stdin = pipe.as_ref().map(|pipe| pipe.as_fd().try_clone_to_owned()).transpose();
        let stdin = stdin.map_err(Error::io("use", Path::new("a pipe")))?;

        let mut ended = None;
        if let Some(delay) = &self.case.command.delay {
            let waited = wait_for_event(delay, &directory, || {
                ended = ended.or_else(|| setup.as_ref()?.process.wait_until(Instant::now()));
                match ended {
                    Some(status) if !status.success() => {
                        Err(Failure::DidNotRun(Prerequisite::Setup).into())
                    }
                    _ => Ok(()),
                }
            });
            if let Err(error) = waited {
                return Err(after_delay(error, setup, ended)?);
            }
        }
        let outcome = match self.run.launcher() {
            Some(launcher) => self.run_under_valgrind(launcher, &directory, stdin),
            None => self.run_natively(&directory, stdin),
        };
        if let Some(setup) = setup {
            shown.extend(end_setup(setup)?);
        }
        outcome
    }

    fn run_natively(&self, directory: &Path, stdin: Option<OwnedFd>) -> Outcome {
        let environment = &self.benchmark.options.environment;
        let program = match &self.copy {
            Some(copy) => copy.clone(),
            None => self.find_program(directory)?,
        };
        let mut command = process::Command::new(program);
        if environment.clear {
            command.env_clear();
        }
        command.envs(&environment.variables);
        self.complete(&mut command, directory, stdin)?;
        self.run.hooks.enter(&mut command)?;
        let stopwatch = Stopwatch::attach(&mut command).map_err(ProcessError::Connection)?;
        let mut running = match self.copy {
            Some(_) => RunningProcess::start_copy(&mut command)?,
            None => RunningProcess::start(&mut command)?,
        };
        let status = self.wait(&mut running)?;
        let failed = Error::io("time", Path::new("a process"));
        let time = Some(stopwatch.stop(&running).map_err(failed)?);
        if let Some(failure) = unexpected_end(status, &self.benchmark.options.exit_with) {
            let output = self.captured().sections();
            let help = help_in_parallel(&failure, &output, self.in_parallel);
            return Err(Error::from(failure).with_output(output).with_help(help));
        }
        let output = self.captured().shown(self.run.settings.shown)?;
        Ok(Measurement { output, time, ..Measurement::default() })
    }

    fn run_under_valgrind(
        &self,
        launcher: Launcher<'_>,
        directory: &Path,
        stdin: Option<OwnedFd>,
    ) -> Outcome {
        let RunContext { benchmarks, settings, .. } = self.run;
        let staging = self.staging;
        let Measuring { programs, valgrind, .. } = launcher.measuring;
        let program = programs.get(self.find_program(directory)?, valgrind)?;
        let ToolOptions { tool, launch, .. } = &self.benchmark.options.tools[self.id.tool];
        if tool.needs_allocator(&launch.arguments) {
            let allocator = programs.allocator(Path::new(&program.executable.path))?;
            tool.check_allocator(allocator, IT)?;
        }
        let launch = Launch::of_single(benchmarks, self.id);
        let (namespace, files) =
            of_single(launcher.fixes_ids(), staging, capture_number(self.number))?;
        let (mut command, _) = launcher.command(
            &program,
            &launch,
            Execution::COMMAND,
            ThreadLimit::Default,
            &files,
        )?;
        let mut order = ThreadOrder::None;
        if settings.isolation.cpus() != Cpus::Native {
            keep_on_one_cpu(&mut command);
            order = ThreadOrder::FromFirstFork;
        }
        let (isolation, seed) = (settings.isolation, settings.samples.seed(self.id.sample));
        let calls = StoppedCalls::Command { isolation, seed };
        let system_calls = (!valgrind.has_runner())
            .then(|| FixedSystemCalls::prepare(&mut command, calls, order))
            .transpose()?
            .flatten();
        self.complete(&mut command, directory, stdin)?;
        let mut running = RunningProcess::start_in(&mut command, namespace.as_ref())?;
        let answers = system_calls.map(FixedSystemCalls::answer).transpose()?.flatten();
        let status = self.wait(&mut running)?;
        if answers.as_ref().is_some_and(SystemCallAnswers::has_clock_leapt) {
            let title = &benchmarks[self.id.benchmark].title_in_text();
            BenchmarkNote::ClockLeapt { title }.print();
        }
        let mut pid = running.id();
        let logs = Ancestry::new(&files);
        if valgrind.has_runner() {
            // Valgrind's process id can differ from the tool runner's
            pid = logs.first_process().unwrap_or(pid);
        }
        let plan = &self.case.command;
        let is_shown = |stdio: &plan::Stdio| *stdio == plan::Stdio::Show;
        let shown = Shown { stdout: is_shown(&plan.stdout), stderr: is_shown(&plan.stderr) };
        let end = CaseEnd {
            case: self.number,
            pid,
            isolated: namespace.map(|namespace| Isolated::of_single(&namespace, files.clone())),
            status,
            killed: None,
            in_parallel: self.in_parallel,
            region: None,
        };
        let case = Case {
            launcher,
            id: self.id,
            benchmark: self.benchmark,
            staging,
            logs: &logs,
            path: &program.path,
            end: &end,
            command: Some(shown),
        };
        case.finish()
    }

    /// Adds arguments, directory and streams to a command.
    fn complete(
        &self,
        command: &mut process::Command,
        directory: &Path,
        stdin: Option<OwnedFd>,
    ) -> Result<()> {
        let plan = &self.case.command;
        let stdin = match (&plan.stdin, stdin) {
            (_, Some(pipe)) => pipe.into(),
            (plan::Stdin::File { path }, None) => {
                open_input(&directory.join(plan::decode(path)))?.into()
            }
            (plan::Stdin::Null | plan::Stdin::Setup { .. }, None) => Stdio::null(),
        };
        check_directory(directory)?;
        command
            .args(plan.args.iter().map(|arg| plan::decode(arg)))
            .current_dir(directory)
            .stdin(stdin)
            .stdout(self.stream(&plan.stdout, "stdout", directory)?)
            .stderr(self.stream(&plan.stderr, "stderr", directory)?);
        log::debug!("running {command:?}");
        Ok(())
    }

    /// Waits for the end of the command.
    fn wait(&self, running: &mut RunningProcess) -> Result<ExitStatus> {
        let RunContext { settings: Settings { timeout, .. }, measuring, .. } = self.run;
        let limit = match measuring {
            Some(measuring) => Limit::of_benchmark(*timeout, measuring.valgrind.has_runner()),
            None => timeout.map(Limit::Duration),
        };
        running.wait_within(limit).map_err(|error| match error {
            ProcessError::Exceeded(exceeded) => {
                Error::from(exceeded).with_output(self.captured().sections())
            }
            error => error.into(),
        })
    }

    /// Opens an output stream of the command.
    fn stream(&self, stdio: &plan::Stdio, name: &str, directory: &Path) -> Result<Stdio> {
        let path = match stdio {
            plan::Stdio::Null => return Ok(Stdio::null()),
            plan::Stdio::File { path } => directory.join(plan::decode(path)),
            plan::Stdio::Capture | plan::Stdio::Show => self.captured().file(name),
        };
        Ok(create_output(&path)?.into())
    }

    fn captured(&self) -> Captured<'_> {
        Captured::of_case(self.staging, self.number)
    }

    /// Returns the program as the plan names it.
    pub(super) fn program(&self) -> PathBuf {
        plan::decode(&self.case.command.program).into()
    }

    /// Finds the program in `PATH`, or relative to the directory of the command.
    fn find_program(&self, directory: &Path) -> Result<PathBuf> {
        let program = self.program();
        let variables = &self.benchmark.options.environment.variables;
        let search_path = variables.get("PATH").cloned().or_else(|| std::env::var_os("PATH"));
        let has_package = self.run.hooks.executable().is_ok();
        if self.run.hooks.enter.is_some() && program.is_absolute() {
            // The other revision can have a program that this side does not have
            return Ok(program);
        }
        find_program(program.as_os_str(), search_path, directory).map_err(|failure| match failure {
            CommandFailure::UnknownCommand { name } if has_package => {
                CommandFailure::UnknownProgram { name }.into()
            }
            failure => failure.into(),
        })
    }

    /// Adds the command to an error.
    fn with_command(&self, error: Error) -> Error {
        match error {
            Error::Interrupted { .. } => error,
            error => error.with_output_before(("command", self.case.command.line())),
        }
    }

    fn hook(&self, is_setup: bool) -> Hook {
        Hook { group: Some(self.benchmark.group), case: Some(self.case.index), is_setup }
    }
}

/// Waits a short time for a parallel setup, then kills it. Returns its output if it is shown.
fn end_setup(setup: RunningHook) -> Result<Vec<u8>> {
    match setup.process.wait_until(Instant::now() + GRACE) {
        Some(status) => setup.into_output(status),
        None => setup.into_output_so_far(),
    }
}

/// Returns the error of a command that did not start: its setup failed, or its delay timed out.
fn after_delay(
    error: Error,
    setup: Option<RunningHook>,
    ended: Option<ExitStatus>,
) -> Result<Error> {
    let Some(mut setup) = setup else { return Ok(error) };
    if let Some(status) = ended.filter(|status| !status.success()) {
        return Ok(setup.into_output(status).err().unwrap_or(error));
    }
    let sections = setup.sections(["output of the setup", "error output of the setup"])?;
    Ok(error.with_output(sections))
}
