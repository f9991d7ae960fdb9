//! Errors of the harness. The module [`message`](crate::message) has their texts.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use iai_callgrind_plan::protocol::{Hook, NativeCase};
use iai_callgrind_plan::streams::StreamError;

/// Error of a method that reads a file, see [`Bench::file`](crate::Bench::file).
///
/// The text names the file and, if one line is wrong, the number of the line.
#[derive(Debug)]
pub struct Error(pub(crate) Cause);

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.0 {
            Cause::ReadFile { error, .. } => Some(error),
            Cause::FileLine { error, .. } => Some(&**error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Causes of all errors.
#[derive(Debug)]
pub(crate) enum Cause {
    /// Valgrind does not run on this system, which has this name in the standard library.
    NoValgrind { system: &'static str },
    /// The executable has a sanitizer of this name, which does not run under Valgrind.
    Sanitizer { name: &'static str },
    /// The system does not know the path of the benchmark executable.
    NoExecutable(io::Error),
    /// The path of the benchmark executable can't be a part of the plan.
    ExecutableNotUtf8(PathBuf),
    /// The process was not started by cargo: this variable is not set.
    NoPackage { name: &'static str },
    /// The fork server lost its connection with the runner, or does not run under Valgrind.
    Server(io::Error),
    /// The runner asked for a hook that the suite does not have.
    NoHook(Hook),
    /// The runner asked for a case that the suite does not have.
    NoCase(NativeCase),
    /// The code of the benchmark file panicked on the walk to its benchmarks.
    Walk { file: &'static str },
    /// A file with commands can't be read.
    ReadFile { path: PathBuf, error: io::Error },
    /// A file with commands has no lines.
    EmptyFile(PathBuf),
    /// The generator returned an error for a line of a file with commands.
    FileLine { path: PathBuf, line: usize, error: Box<dyn StdError + Send + Sync> },
    /// The runner could not print, or not start programs.
    Streams(StreamError),
    /// The runner can't be started.
    StartRunner { runner: PathBuf, error: io::Error },
    /// A signal ended the runner.
    RunnerEnded(ExitStatus),
    /// The runner that the user chose can't be used.
    ChosenRunner { runner: PathBuf, problem: RunnerProblem },
    /// There is no runner, and it must not be installed. The command installs it.
    InstallationForbidden { command: String },
    /// Cargo can't be started.
    StartCargo(io::Error),
    /// Cargo failed to build the runner in this directory.
    Build(PathBuf),
    /// Cargo failed to install the runner.
    Install,
    /// There is no directory to install the runner to.
    NoCargoHome,
    /// Test mode does not know this argument.
    Argument(String),
    /// The standard error output can't be copied for test mode.
    Descriptor(io::Error),
    /// The value of an environment variable can't be parsed.
    Variable { name: &'static str, expected: &'static str },
}

/// Reason why a runner can't be used.
#[derive(Debug)]
pub(crate) enum RunnerProblem {
    /// The runner can't be started.
    Start(io::Error),
    /// The runner has this version.
    OtherVersion(String),
    /// The runner does not print a version.
    NoVersion,
}

impl Cause {
    /// Returns the exit code of a benchmark executable that this error ends.
    pub(crate) fn exit_code(&self) -> ExitCode {
        const USAGE: u8 = 2;
        match self {
            Self::Argument(_) | Self::Variable { .. } => ExitCode::from(USAGE),
            _ => ExitCode::FAILURE,
        }
    }
}
