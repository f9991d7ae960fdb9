//! Setups and teardowns of the file, of groups and of commands. They run without Valgrind, as
//! processes of the benchmark executable or as commands.

use std::env;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use iai_callgrind_base::FileError;
use iai_callgrind_base::console::Section;
use iai_callgrind_cli::settings::Settings;
use iai_callgrind_commands::HookCommands;
use iai_callgrind_launch::{Place, Shown};
use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{self as plan, Pipe};
use iai_callgrind_process::{ProcessError, RunningProcess};
use iai_callgrind_results::PlaceOptions;

use super::error::CommandFailure;
use super::programs::find_program;
use crate::error::{Error, Result};
use crate::plan::PlanError;
use crate::resolve::on_top;

/// Changes a command to see the files of another revision.
type Enter = dyn Fn(&mut Command) -> Result<()> + Send + Sync;

/// The programs that run as hooks.
enum HookPrograms {
    /// The benchmark executable.
    Executable(String),
    /// Commands, where there is no benchmark executable.
    Commands(HookCommands),
}

/// The hooks of a benchmark file.
pub(crate) struct Hooks {
    programs: HookPrograms,
    /// Completes commands that are those of another revision.
    pub(super) enter: Option<Box<Enter>>,
    /// Directory of the package, for everything without a sandbox.
    pub(crate) package: PathBuf,
    suite: plan::Hooks,
    groups: Vec<GroupHooks>,
    shown: Shown,
    /// Maximum duration of each hook.
    limit: Option<Duration>,
}

#[derive(Debug)]
struct GroupHooks {
    name: String,
    hooks: plan::Hooks,
    /// Configuration of the hooks' own directory, if they have one.
    place: Option<PlaceOptions>,
}

impl Hooks {
    /// Returns the hooks of this plan: calls of its benchmark executable or, without one, these
    /// commands. Their output is shown if the output of benchmarks is.
    pub(crate) fn of_plan(plan: &plan::Plan, commands: HookCommands, settings: &Settings) -> Self {
        let groups = plan.groups.iter().map(|group| {
            let options = PlaceOptions::resolve(&on_top(&plan.config, group.config.clone()), true);
            let place = group.hooks_in_sandbox.then_some(options);
            GroupHooks { name: group.name.clone(), hooks: group.hooks, place }
        });
        Self {
            programs: match &plan.executable {
                Some(executable) => HookPrograms::Executable(executable.path.clone()),
                None => HookPrograms::Commands(commands),
            },
            enter: None,
            package: plan.package_dir.clone().into(),
            suite: plan.hooks,
            groups: groups.collect(),
            shown: settings.shown,
            limit: settings.timeout,
        }
    }

    /// Passes all commands of the hooks through this function.
    pub(super) fn entering(
        self,
        enter: impl Fn(&mut Command) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self { enter: Some(Box::new(enter)), ..self }
    }

    /// Makes a command see the files of the other revision, if the hooks belong to one.
    pub(super) fn enter(&self, command: &mut Command) -> Result<()> {
        self.enter.as_ref().map_or(Ok(()), |enter| enter(command))
    }

    /// Returns the path of the benchmark executable.
    pub(super) fn executable(&self) -> Result<&str> {
        match &self.programs {
            HookPrograms::Executable(path) => Ok(path),
            HookPrograms::Commands(_) => Err(PlanError::NoExecutable.into()),
        }
    }

    /// Returns the hooks of each group.
    pub(super) fn group_hooks(&self) -> Vec<plan::Hooks> {
        self.groups.iter().map(|group| group.hooks).collect()
    }

    /// Returns the name of a group.
    pub(super) fn group_name(&self, group: usize) -> &str {
        &self.groups[group].name
    }

    /// Returns the group with this name.
    pub(super) fn group_named(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == name)
    }

    /// Creates the directory for the hooks of a group, if it has its own.
    pub(super) fn place(&self, group: usize) -> Result<Option<Place<'_>>> {
        let GroupHooks { name, place, .. } = &self.groups[group];
        let place = place.as_ref();
        Ok(place.map(|options| Place::create(options, &self.package, None, name)).transpose()?)
    }

    /// Runs the setup of a group or of the file.
    pub(super) fn set_up(&self, group: Option<usize>, place: Option<&Place<'_>>) -> Result<()> {
        self.run_if(self.hooks(group).setup, Hook { group, case: None, is_setup: true }, place)
    }

    /// Runs the teardown of a group or of the file.
    pub(super) fn tear_down(&self, group: Option<usize>, place: Option<&Place<'_>>) -> Result<()> {
        self.run_if(self.hooks(group).teardown, Hook { group, case: None, is_setup: false }, place)
    }

    fn hooks(&self, group: Option<usize>) -> plan::Hooks {
        group.map_or(self.suite, |group| self.groups[group].hooks)
    }

    fn run_if(&self, exists: bool, hook: Hook, place: Option<&Place<'_>>) -> Result<()> {
        if !exists {
            return Ok(());
        }
        let mut running = self.start(hook, place.map(Place::path), None)?;
        let status = running.wait(self.limit)?;
        let output = running.into_output(status)?;
        // The standard output is for results
        iai_callgrind_base::note::print(&String::from_utf8_lossy(&output));
        Ok(())
    }

    /// Starts a hook in this directory or in the runner's. One of its streams can be a pipe.
    pub(super) fn start(
        &self,
        hook: Hook,
        directory: Option<&Path>,
        pipe: Option<Pipe>,
    ) -> Result<RunningHook> {
        let mut command = self.command(hook, directory)?;
        self.enter(&mut command)?;
        command.stdin(Stdio::null());
        let [stdout, stderr] = [temporary_file()?, temporary_file()?];
        command.stdout(shared(&stdout)?).stderr(shared(&stderr)?);
        match pipe {
            None => {}
            Some(Pipe::Stdout) => {
                command.stdout(Stdio::piped());
            }
            Some(Pipe::Stderr) => {
                command.stderr(Stdio::piped());
            }
        }
        let process = RunningProcess::start(&mut command)?;
        Ok(RunningHook { process, name: self.name(hook), stdout, stderr, shown: self.shown })
    }

    /// Returns the command of a hook.
    fn command(&self, hook: Hook, directory: Option<&Path>) -> Result<Command> {
        let commands = match &self.programs {
            HookPrograms::Executable(path) => {
                let mut command = Command::new(path);
                command.env(Hook::VARIABLE, hook.to_string());
                if let Some(directory) = directory {
                    command.env(Hook::DIRECTORY, directory);
                }
                return Ok(command);
            }
            HookPrograms::Commands(commands) => commands,
        };
        let plan::Command { program, args, .. } =
            commands.get(&hook).ok_or(PlanError::NoExecutable)?;
        let directory = directory.unwrap_or(&self.package);
        let program = find_program(&plan::decode(program), env::var_os("PATH"), directory)?;
        let mut command = Command::new(program);
        command.args(args.iter().map(|arg| plan::decode(arg))).current_dir(directory);
        Ok(command)
    }

    fn name(&self, hook: Hook) -> String {
        let is_each = hook.case.is_some();
        match (hook.group, hook.is_setup) {
            (_, true) if is_each => "the setup".to_owned(),
            (_, false) if is_each => "the teardown".to_owned(),
            (None, is_setup) => {
                let hook = if is_setup { "the setup" } else { "the teardown" };
                let owner = if self.executable().is_ok() { "`main!`" } else { "the file" };
                format!("{hook} of {owner}")
            }
            (Some(group), is_setup) => {
                let GroupHooks { name, place, .. } = &self.groups[group];
                let kind = match (is_setup, place) {
                    (true, None) => "the setup of",
                    (false, None) => "the teardown of",
                    (true, Some(_)) => "the `before` of",
                    (false, Some(_)) => "the `after` of",
                };
                format!("{kind} the group `{name}`")
            }
        }
    }
}

/// A hook in progress.
pub(super) struct RunningHook {
    pub(super) process: RunningProcess,
    name: String,
    stdout: File,
    stderr: File,
    shown: Shown,
}

impl RunningHook {
    /// Waits for the end of the process, which is killed when it exceeds the limit.
    pub(super) fn wait(&mut self, limit: Option<Duration>) -> Result<ExitStatus> {
        match self.process.wait(limit) {
            Err(ProcessError::Exceeded(exceeded)) => {
                let limit = exceeded.limit();
                let failure = CommandFailure::HookTimedOut { hook: self.name.clone(), limit };
                Err(Error::from(failure).with_output(self.sections(["output", "error output"])?))
            }
            waited => Ok(waited?),
        }
    }

    /// Takes the read end of the stream that is a pipe.
    pub(super) fn take_pipe(&mut self) -> Option<OwnedFd> {
        let child = &mut self.process.child;
        let stdout = child.stdout.take().map(OwnedFd::from);
        stdout.or_else(|| child.stderr.take().map(OwnedFd::from))
    }

    /// Returns the output if it is shown.
    ///
    /// # Errors
    ///
    /// Returns an error with the output if the hook failed.
    pub(super) fn into_output(mut self, status: ExitStatus) -> Result<Vec<u8>> {
        if !status.success() {
            let sections = self.sections(["output", "error output"])?;
            return Err(
                Error::from(CommandFailure::HookFailed { hook: self.name }).with_output(sections)
            );
        }
        self.into_output_so_far()
    }

    /// Returns the output under these names.
    pub(super) fn sections(&mut self, names: [&'static str; 2]) -> Result<Vec<Section>> {
        let bytes = [read(&mut self.stdout)?, read(&mut self.stderr)?];
        let texts = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(names.into_iter().zip(texts).collect())
    }

    /// Ends the hook and returns its output so far if it is shown.
    pub(super) fn into_output_so_far(mut self) -> Result<Vec<u8>> {
        let [stdout, stderr] = [read(&mut self.stdout)?, read(&mut self.stderr)?];
        let streams = [(self.shown.stdout, stdout), (self.shown.stderr, stderr)];
        Ok(streams
            .into_iter()
            .filter(|(is_shown, _)| *is_shown)
            .flat_map(|(_, bytes)| bytes)
            .collect())
    }
}

fn temporary_file() -> Result<File> {
    let failed = |source| FileError::NoTemporaryDirectory { path: env::temp_dir(), source };
    Ok(tempfile::tempfile().map_err(failed)?)
}

/// Returns the file as a stream for a process.
fn shared(file: &File) -> Result<File> {
    file.try_clone().map_err(Error::io("use", Path::new("a temporary file")))
}

fn read(file: &mut File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(Error::io("read", Path::new("a temporary file")))?;
    Ok(bytes)
}
