//! Runs a command in a place of its own, between its set-up and its tear-down.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{self as plan, HookKind};

use super::case::{Case, Ran, capture_file, unexpected};
use super::delay;
use super::export::Export;
use super::hooks::{Hooks, RunningHook};
use super::launch::Launcher;
use super::sandbox::Place;
use super::server::{Ended, capture_number};
use crate::benchmark::{Benchmark, BinaryCase};
use crate::cli::Shown;
use crate::error::{Error, Result};
use crate::options::PlaceOptions;
use crate::process::RunningProcess;
use crate::result::Outcome;
use crate::tool::Measurement;

/// How long a set-up may go on when the command that it ran beside has ended.
const GRACE: Duration = Duration::from_millis(500);

/// What the commands of a stage have in common.
pub(super) struct Workshop<'a> {
    pub(super) benchmarks: &'a [Benchmark],
    pub(super) hooks: &'a Hooks,
    /// What runs them under Valgrind; none if they run natively.
    pub(super) launcher: Option<&'a Launcher<'a>>,
    /// Where captured output goes, and what the tool writes.
    pub(super) staging: &'a Path,
    /// What every sandbox begins as.
    pub(super) template: Option<(&'a Place, &'a PlaceOptions)>,
    pub(super) keeps_sandboxes: bool,
}

/// One run of a command.
pub(super) struct Turn<'a> {
    pub(super) workshop: &'a Workshop<'a>,
    pub(super) benchmark: &'a Benchmark,
    pub(super) case: &'a BinaryCase,
    /// The index of the tool among the benchmark's.
    pub(super) tool: usize,
    /// Which of the seeds it is.
    pub(super) seed: usize,
    /// Tells its captured output from others'.
    pub(super) number: usize,
    /// The benchmarks that its set-up and its tear-down are.
    pub(super) measured: Vec<(HookKind, usize)>,
}

/// What came of a turn.
pub(super) struct Finished {
    /// Of the command.
    pub(super) outcome: Outcome,
    /// Of what is measured around it.
    pub(super) hooks: Vec<(usize, Outcome)>,
    /// Where its sandbox is, if that was kept.
    pub(super) kept: Option<PathBuf>,
}

impl Turn<'_> {
    /// Runs all that belongs to it, from the sandbox to the result.
    pub(super) fn run(&self) -> Finished {
        let Workshop { hooks, template, keeps_sandboxes, .. } = *self.workshop;
        let mut finished = Finished { outcome: Err(did_not_run()), hooks: Vec::new(), kept: None };
        match Place::create(&self.benchmark.options.place, hooks.package(), template) {
            Ok(mut place) => {
                finished.outcome = self.run_in(&place, &mut finished.hooks);
                if keeps_sandboxes {
                    finished.kept = place.keep().map(Path::to_owned);
                }
            }
            Err(error) => finished.outcome = Err(error),
        }
        finished.outcome = finished.outcome.map_err(|error| self.with_command(error));
        for (_, index) in &self.measured {
            if !finished.hooks.iter().any(|(found, _)| found == index) {
                finished.hooks.push((*index, Err(did_not_run())));
            }
        }
        finished
    }

    /// Runs the command with what is around it. The tear-down comes when the set-up has succeeded,
    /// whatever comes of the command.
    fn run_in(&self, place: &Place, hooks: &mut Vec<(usize, Outcome)>) -> Outcome {
        let mut shown = Vec::new();
        let set_up = self.set_up(place, hooks, &mut shown)?;
        let outcome = self.run_beside(set_up, place, &mut shown);
        let (before, mut after) = (shown, Vec::new());
        let torn_down = self.run_hook(false, place, hooks, &mut after);
        let mut measured = outcome?;
        torn_down?;
        if self.tool == 0 && !(before.is_empty() && after.is_empty()) {
            let own = measured.output.take().unwrap_or_default();
            measured.output = Some([before, own, after].concat());
        }
        Ok(measured)
    }

    /// Runs the set-up, or starts it if it goes on beside the command.
    fn set_up(
        &self,
        place: &Place,
        hooks: &mut Vec<(usize, Outcome)>,
        shown: &mut Vec<u8>,
    ) -> Result<Option<RunningHook>> {
        let pipe = match self.case.command.stdin {
            plan::Stdin::Setup { pipe } => Some(pipe),
            _ => None,
        };
        let is_parallel = self.benchmark.options.setup_parallel || pipe.is_some();
        if !is_parallel {
            self.run_hook(true, place, hooks, shown)?;
            return Ok(None);
        }
        if !self.case.hooks.setup {
            let what = "the command's standard input is the output of its set-up, but it has none";
            return if pipe.is_some() { Err(Error::Case(what.to_owned())) } else { Ok(None) };
        }
        self.workshop.hooks.start(self.hook(true), Some(place.path()), pipe).map(Some)
    }

    /// Runs the set-up or the tear-down, as a benchmark if it is one.
    fn run_hook(
        &self,
        is_setup: bool,
        place: &Place,
        hooks: &mut Vec<(usize, Outcome)>,
        shown: &mut Vec<u8>,
    ) -> Result<()> {
        let kind = if is_setup { HookKind::Setup } else { HookKind::Teardown };
        let measured = self.measured.iter().find(|(found, _)| *found == kind);
        if let (Some((_, index)), Some(launcher)) = (measured, self.workshop.launcher) {
            let outcome = launcher.measure(*index, self.tool, self.seed, place.path());
            let failed = outcome.is_err();
            hooks.push((*index, outcome));
            let what = if is_setup { "the setup failed" } else { "the teardown failed" };
            return if failed { Err(Error::Case(what.to_owned())) } else { Ok(()) };
        }
        let is_there = if is_setup { self.case.hooks.setup } else { self.case.hooks.teardown };
        if !is_there {
            return Ok(());
        }
        let mut running =
            self.workshop.hooks.start(self.hook(is_setup), Some(place.path()), None)?;
        let status = running.wait(self.workshop.hooks.limit())?;
        shown.extend(running.into_output(status)?);
        Ok(())
    }

    /// Runs the command while its set-up goes on, if that does.
    fn run_beside(
        &self,
        mut set_up: Option<RunningHook>,
        place: &Place,
        shown: &mut Vec<u8>,
    ) -> Outcome {
        let directory = place.join(&self.benchmark.options.place.current_dir);
        // Nobody gets an error who writes what the command does not read to the end
        let pipe = set_up.as_mut().and_then(pipe);
        let stdin = pipe.as_ref().map(|pipe| pipe.as_fd().try_clone_to_owned()).transpose();
        let stdin = stdin.map_err(Error::io("use", Path::new("a pipe")))?;

        let mut ended = None;
        if let Some(delay) = &self.case.command.delay {
            let waited = delay::wait(delay, &directory, || {
                ended = ended.or_else(|| set_up.as_mut()?.process.wait_until(Instant::now()));
                if ended.is_some_and(|status| !status.success()) {
                    return Err(did_not_run());
                }
                Ok(())
            });
            if let Err(error) = waited {
                return Err(after_delay(error, set_up, ended)?);
            }
        }
        let outcome = self.run_command(&directory, stdin);
        if let Some(set_up) = set_up {
            shown.extend(end_set_up(set_up)?);
        }
        outcome
    }

    fn run_command(&self, directory: &Path, stdin: Option<OwnedFd>) -> Outcome {
        match self.workshop.launcher {
            Some(launcher) => launcher.run_command(self, directory, stdin),
            None => self.run_natively(directory, stdin),
        }
    }

    fn run_natively(&self, directory: &Path, stdin: Option<OwnedFd>) -> Outcome {
        let environment = &self.benchmark.options.environment;
        let mut command = process::Command::new(self.program(directory)?);
        if environment.clear {
            command.env_clear();
        }
        command.envs(&environment.variables);
        let (_, status) = self.finish_command(&mut command, directory, stdin)?;
        match unexpected(status, self.benchmark.options.exit_with) {
            None => Ok(Measurement::default()),
            Some(what) => Err(Error::Process { what, said: self.output() }),
        }
    }

    /// Adds the command's arguments, its directory and its streams, and runs it to its end. Returns its id
    /// and its status.
    pub(super) fn finish_command(
        &self,
        command: &mut process::Command,
        directory: &Path,
        stdin: Option<OwnedFd>,
    ) -> Result<(i32, ExitStatus)> {
        let plan = &self.case.command;
        let stdin = match (&plan.stdin, stdin) {
            (_, Some(pipe)) => pipe.into(),
            (plan::Stdin::File { path }, None) => {
                let path = directory.join(plan::decode(path));
                File::open(&path).map_err(Error::io("read", &path))?.into()
            }
            (plan::Stdin::Null | plan::Stdin::Setup { .. }, None) => Stdio::null(),
        };
        if !directory.is_dir() {
            let what = format!("there is no directory {} for it to run in", directory.display());
            return Err(Error::Case(what));
        }
        command
            .args(plan.args.iter().map(|arg| plan::decode(arg)))
            .current_dir(directory)
            .stdin(stdin)
            .stdout(self.stream(&plan.stdout, "stdout", directory)?)
            .stderr(self.stream(&plan.stderr, "stderr", directory)?);
        log::debug!("running {command:?}");
        let mut running = RunningProcess::start(command)?;
        let status = running.wait(self.workshop.hooks.limit()).map_err(|error| match error {
            Error::Overdue { .. } => {
                Error::Process { what: error.to_string(), said: self.output() }
            }
            other => other,
        })?;
        Ok((running.id(), status))
    }

    /// Where an output of the command goes.
    fn stream(&self, stdio: &plan::Stdio, name: &str, directory: &Path) -> Result<Stdio> {
        let path = match stdio {
            plan::Stdio::Null => return Ok(Stdio::null()),
            plan::Stdio::File { path } => directory.join(plan::decode(path)),
            plan::Stdio::Capture | plan::Stdio::Show => self.capture(name),
        };
        Ok(File::create(&path).map_err(Error::io("create", &path))?.into())
    }

    fn capture(&self, name: &str) -> PathBuf {
        capture_file(self.workshop.staging, capture_number(self.number), name)
    }

    /// What the command printed.
    fn output(&self) -> Vec<(&'static str, String)> {
        let captured = |name| super::case::tail(&self.capture(name));
        vec![("output", captured("stdout")), ("error output", captured("stderr"))]
    }

    /// The result of the command, which ran as this process.
    pub(super) fn result(
        &self,
        launcher: &Launcher<'_>,
        link: &crate::stable_path::StablePath,
        (pid, status): (i32, ExitStatus),
    ) -> Outcome {
        let options = &self.benchmark.options;
        let tool = &options.tools[self.tool];
        let plan = &self.case.command;
        let is_shown = |stdio: &plan::Stdio| self.tool == 0 && *stdio == plan::Stdio::Show;
        let shown = Shown { stdout: is_shown(&plan.stdout), stderr: is_shown(&plan.stderr) };
        let case = Case {
            staging: self.workshop.staging,
            tool: tool.tool,
            options: &tool.launch,
            link,
            ended: &Ended { case: self.number, pid, status, overdue: None, region: None },
            // The default tool's run shows what the benchmark prints
            shown: if self.tool == 0 { launcher.settings.shown } else { Shown::default() },
            wanted: &tool.wanted(),
            command: Some(Ran { exit_with: options.exit_with, shown }),
        };
        let export = || Export::of(self.benchmark, tool, &launcher.settings.mode);
        case.finish((self.seed == 0).then(export))
    }

    /// Where the program is.
    pub(super) fn program(&self, directory: &Path) -> Result<PathBuf> {
        let program = plan::decode(&self.case.command.program);
        let is_path = program.as_encoded_bytes().contains(&b'/');
        let variables = &self.benchmark.options.environment.variables;
        let path = variables.get("PATH").cloned().or_else(|| std::env::var_os("PATH"));
        which::which_in(&program, path, directory).map_err(|_| {
            let name = program.to_string_lossy();
            let full = directory.join(&program);
            Error::Case(if !is_path {
                format!(
                    "there is no program `{name}` in PATH, and the package has no binary of that \
                     name.\nFor one of the package's binaries write `env!(\"CARGO_BIN_EXE_{name}\")`"
                )
            } else if full.exists() {
                format!("{} can't be executed", full.display())
            } else {
                format!("there is no program {}", full.display())
            })
        })
    }

    /// Adds the command to an error.
    fn with_command(&self, error: Error) -> Error {
        let command = ("command", self.case.command.line());
        let with = |said: Vec<_>| [command].into_iter().chain(said).collect();
        match error {
            Error::Process { what, said } => Error::Process { what, said: with(said) },
            Error::Hook { what, said } => Error::Hook { what, said: with(said) },
            Error::Interrupted { .. } => error,
            other => Error::Process { what: other.to_string(), said: with(Vec::new()) },
        }
    }

    fn hook(&self, is_setup: bool) -> Hook {
        Hook { group: Some(self.benchmark.group), case: Some(self.case.index), is_setup }
    }
}

/// The reading end of the stream that is a pipe.
fn pipe(set_up: &mut RunningHook) -> Option<OwnedFd> {
    let child = &mut set_up.process.child;
    let stdout = child.stdout.take().map(OwnedFd::from);
    stdout.or_else(|| child.stderr.take().map(OwnedFd::from))
}

/// Gives the set-up a while to end, and ends it then. Returns what it printed and is to be shown.
fn end_set_up(mut set_up: RunningHook) -> Result<Vec<u8>> {
    match set_up.process.wait_until(Instant::now() + GRACE) {
        Some(status) => set_up.into_output(status),
        None => set_up.into_output_so_far(),
    }
}

/// Why the command could not start: the set-up that it waited for failed, or it did not come in time.
fn after_delay(
    error: Error,
    set_up: Option<RunningHook>,
    ended: Option<ExitStatus>,
) -> Result<Error> {
    let Some(mut set_up) = set_up else { return Ok(error) };
    if let Some(status) = ended.filter(|status| !status.success()) {
        return Ok(set_up.into_output(status).err().unwrap_or(error));
    }
    let said = set_up.said(["output of the setup", "error output of the setup"])?;
    Ok(Error::Process { what: error.to_string(), said })
}

fn did_not_run() -> Error {
    Error::Case("it did not run, because something before it failed".to_owned())
}
