//! What runs before and after the benchmarks of a group or of the file, and before and after a command:
//! processes of the benchmark executable, without Valgrind.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use iai_callgrind_plan::protocol::Hook;
use iai_callgrind_plan::{self as plan, Pipe};

use super::sandbox::Place;
use crate::benchmark::on_top;
use crate::cli::Shown;
use crate::error::{Error, Result};
use crate::options::PlaceOptions;
use crate::process::RunningProcess;
use crate::settings::Settings;

/// The hooks of a benchmark file.
#[derive(Debug)]
pub(crate) struct Hooks {
    executable: String,
    package: PathBuf,
    suite: plan::Hooks,
    groups: Vec<Group>,
    shown: Shown,
    /// How long each of them may take.
    limit: Option<Duration>,
}

#[derive(Debug)]
struct Group {
    name: String,
    hooks: plan::Hooks,
    /// Where its hooks run, if that is a place of their own.
    place: Option<PlaceOptions>,
}

impl Hooks {
    /// The hooks of this plan. Their output is shown if that of benchmarks is.
    pub(crate) fn of_plan(plan: &plan::Plan, settings: &Settings) -> Self {
        let groups = plan.groups.iter().map(|group| {
            let options = PlaceOptions::resolve(&on_top(&plan.config, group.config.clone()));
            let place = group.hooks_in_sandbox.then_some(options);
            Group { name: group.name.clone(), hooks: group.hooks, place }
        });
        Self {
            executable: plan.executable.clone(),
            package: plan.package_dir.clone().into(),
            suite: plan.hooks,
            groups: groups.collect(),
            shown: settings.shown,
            limit: settings.timeout,
        }
    }

    /// The directory of the package, where what has no sandbox runs.
    pub(super) fn package(&self) -> &Path {
        &self.package
    }

    /// How long a process may take that a benchmark consists of.
    pub(super) fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// Which groups have something to run.
    pub(super) fn of_groups(&self) -> Vec<plan::Hooks> {
        self.groups.iter().map(|group| group.hooks).collect()
    }

    /// The place that the hooks of a group run in, if it is one of their own, and how it is configured.
    pub(super) fn place(&self, group: usize) -> Result<Option<(Place, &PlaceOptions)>> {
        let options = self.groups[group].place.as_ref();
        let place = |options| Ok((Place::create(options, &self.package, None)?, options));
        options.map(place).transpose()
    }

    /// Runs what the group, or the whole file, has to run before its benchmarks.
    pub(super) fn set_up(&self, group: Option<usize>, place: Option<&Place>) -> Result<()> {
        self.run_if(self.of(group).setup, Hook { group, case: None, is_setup: true }, place)
    }

    /// Runs what the group, or the whole file, has to run after its benchmarks.
    pub(super) fn tear_down(&self, group: Option<usize>, place: Option<&Place>) -> Result<()> {
        self.run_if(self.of(group).teardown, Hook { group, case: None, is_setup: false }, place)
    }

    fn of(&self, group: Option<usize>) -> plan::Hooks {
        group.map_or(self.suite, |group| self.groups[group].hooks)
    }

    fn run_if(&self, is_there: bool, hook: Hook, place: Option<&Place>) -> Result<()> {
        if !is_there {
            return Ok(());
        }
        let mut running = self.start(hook, place.map(Place::path), None)?;
        let status = running.wait(self.limit)?;
        let output = running.into_output(status)?;
        // Standard output is for results
        anstream::eprint!("{}", String::from_utf8_lossy(&output));
        Ok(())
    }

    /// Starts a hook, in this directory or where this process is. One of its streams can be a pipe.
    pub(super) fn start(
        &self,
        hook: Hook,
        directory: Option<&Path>,
        pipe: Option<Pipe>,
    ) -> Result<RunningHook> {
        let mut command = Command::new(&self.executable);
        command.env(Hook::VARIABLE, hook.to_string()).stdin(Stdio::null());
        if let Some(directory) = directory {
            command.env(Hook::DIRECTORY, directory);
        }
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

    fn name(&self, hook: Hook) -> String {
        let is_each = hook.case.is_some();
        match (hook.group, hook.is_setup) {
            (_, true) if is_each => "setup".to_owned(),
            (_, false) if is_each => "teardown".to_owned(),
            (None, true) => "setup of `main!`".to_owned(),
            (None, false) => "teardown of `main!`".to_owned(),
            (Some(group), is_setup) => {
                let Group { name, place, .. } = &self.groups[group];
                let kind = match (is_setup, place) {
                    (true, None) => "setup of",
                    (false, None) => "teardown of",
                    (true, Some(_)) => "`before` of",
                    (false, Some(_)) => "`after` of",
                };
                format!("{kind} the group `{name}`")
            }
        }
    }
}

/// A hook that has started.
pub(super) struct RunningHook {
    pub(super) process: RunningProcess,
    name: String,
    stdout: File,
    stderr: File,
    shown: Shown,
}

impl RunningHook {
    /// Waits until the process has ended, which may take as long as the limit.
    pub(super) fn wait(&mut self, limit: Option<Duration>) -> Result<ExitStatus> {
        match self.process.wait(limit) {
            Err(Error::Overdue { limit }) => {
                let what = format!("{}: {}", self.name, Error::Overdue { limit });
                Err(Error::Process { what, said: self.said(["output", "error output"])? })
            }
            waited => waited,
        }
    }

    /// What it printed, as far as that is to be shown. An error if it failed.
    pub(super) fn into_output(mut self, status: ExitStatus) -> Result<Vec<u8>> {
        if !status.success() {
            let said = self.said(["output", "error output"])?;
            return Err(Error::Hook { what: self.name, said });
        }
        self.into_output_so_far()
    }

    /// What it printed, under these names.
    pub(super) fn said(&mut self, names: [&'static str; 2]) -> Result<Vec<(&'static str, String)>> {
        let bytes = [read(&mut self.stdout)?, read(&mut self.stderr)?];
        let texts = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(names.into_iter().zip(texts).collect())
    }

    /// What it printed until now, as far as that is to be shown. It ends.
    pub(super) fn into_output_so_far(mut self) -> Result<Vec<u8>> {
        let [stdout, stderr] = [read(&mut self.stdout)?, read(&mut self.stderr)?];
        let streams = [(self.shown.stdout, stdout), (self.shown.stderr, stderr)];
        Ok(streams.into_iter().filter(|(is_shown, _)| *is_shown).flat_map(|(_, it)| it).collect())
    }
}

fn temporary_file() -> Result<File> {
    tempfile::tempfile().map_err(Error::io("create a file in", &std::env::temp_dir()))
}

/// The file as the stream of a process.
fn shared(file: &File) -> Result<File> {
    file.try_clone().map_err(Error::io("use", Path::new("a temporary file")))
}

fn read(file: &mut File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    read.map_err(Error::io("read", Path::new("a temporary file")))?;
    Ok(bytes)
}
