//! The arguments that a run shares with the run of another revision.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use iai_callgrind_plan::OTHER_REVISION_VARIABLE;
use iai_callgrind_process::RunningProcess;

use super::cargo::Built;
use super::place::TreePlace;
use crate::error::Result;
use crate::git::forget_selection;

/// The exit code of a run in which a benchmark exceeds a limit.
const REGRESSED: i32 = 3;

/// The arguments and variables of a run that a run of another revision has as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuringArguments {
    /// All arguments.
    pub all: Vec<OsString>,
    /// The arguments apart from those that select benchmarks.
    pub options: Vec<OsString>,
    /// The names of the variables that change what is measured.
    pub variables: Vec<OsString>,
    /// The names of the variables that the other run must not have.
    pub removed: Vec<OsString>,
}

impl MeasuringArguments {
    /// Returns a command that starts the benchmark executable as cargo does.
    pub(super) fn command(&self, place: &TreePlace, built: &Built) -> Result<Command> {
        let mut command = Command::new(&built.executable);
        place.enter(&mut command, &built.package)?;
        command.env("CARGO_MANIFEST_DIR", &built.package);
        name_programs(&mut command, built);
        // A library of the same version finds this runner
        let runner = place.runner.as_deref().into_iter();
        let libraries = built.executable.ancestors().skip(1).take(2);
        for (name, directories) in
            [("PATH", runner.collect::<Vec<_>>()), ("LD_LIBRARY_PATH", libraries.collect())]
        {
            if let Some(path) = before(directories, name) {
                command.env(name, path);
            }
        }
        for name in &self.removed {
            command.env_remove(name);
        }
        forget_selection(&mut command);
        // The configuration of the revision can request a snapshot, which does not belong to this
        // run
        command.env("IAI_CALLGRIND_SNAPSHOT", "no");
        // It has other benchmarks than the benchmark file has now
        command.env(OTHER_REVISION_VARIABLE, "1");
        command.env_remove("IAI_CALLGRIND_RUNNER").stdin(Stdio::null()).stdout(Stdio::null());
        Ok(command)
    }

    /// Runs the benchmarks of an executable with these options, and with results in this directory. Returns the status if
    /// they failed.
    pub(super) fn run(
        &self,
        place: &TreePlace,
        built: &Built,
        home: &Path,
        options: &[&str],
    ) -> Result<Option<ExitStatus>> {
        let mut command = self.command(place, built)?;
        // Only options that every version has, because a revision can need another version of the
        // runner
        command.args(&self.all).arg("--home").arg(home).args(options);
        command.args(["--regression-fail-fast=no", "--profile-note=no"]);
        let status = RunningProcess::start(&mut command)?.wait(None)?;
        let is_complete = status.success() || status.code() == Some(REGRESSED);
        Ok((!is_complete).then_some(status))
    }
}

/// Sets the variables with the paths of the package's programs to those that were built with the
/// executable. A program that this build lacks has no variable.
fn name_programs(command: &mut Command, built: &Built) {
    let directory = built.executable.ancestors().nth(2).unwrap_or(&built.executable);
    for (name, path) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"CARGO_BIN_EXE_") {
            let program = Path::new(&path).file_name().map(|file| directory.join(file));
            match program.filter(|program| program.exists()) {
                Some(program) => command.env(name, program),
                None => command.env_remove(name),
            };
        }
    }
}

/// Returns these directories before those of a variable.
fn before(directories: Vec<&Path>, name: &str) -> Option<OsString> {
    let others = env::var_os(name).unwrap_or_default();
    let directories = directories.into_iter().map(Path::to_owned);
    env::join_paths(directories.chain(env::split_paths(&others))).ok()
}
