//! The command that a binary benchmark measures.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::{self as plan, Config, ExitWith, Pipe, Variable, encode};

use super::Delay;
use crate::config::from_references;

/// Command that a binary benchmark measures.
///
/// The program is one of the package's own binaries (`env!("CARGO_BIN_EXE_name")`), a name in `PATH`, or
/// a path. A relative path starts in the directory that the command runs in.
///
/// ```
/// use iai_callgrind::{Command, Stdio};
///
/// let command = Command::new("sort").arg("--reverse").stdin(Stdio::File("lines.txt".into())).build();
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Command {
    pub(crate) command: plan::Command,
    pub(crate) config: Config,
}

impl Command {
    /// Creates the command that runs this program without arguments.
    #[must_use]
    pub fn new<T: AsRef<OsStr>>(program: T) -> Self {
        let program = encode(program.as_ref());
        let command = plan::Command { program, ..plan::Command::default() };
        Self { command, config: Config::default() }
    }

    /// Adds an argument.
    pub fn arg<T: AsRef<OsStr>>(&mut self, arg: T) -> &mut Self {
        self.command.args.push(encode(arg.as_ref()));
        self
    }

    /// Adds several arguments.
    pub fn args<I: AsRef<OsStr>, T: IntoIterator<Item = I>>(&mut self, args: T) -> &mut Self {
        for arg in args {
            self.arg(arg);
        }
        self
    }

    /// Sets the source of the standard input, which is empty by default.
    pub fn stdin<T: Into<Stdin>>(&mut self, stdin: T) -> &mut Self {
        self.command.stdin = match stdin.into() {
            Stdin::Inherit | Stdin::Null | Stdin::Pipe => plan::Stdin::Null,
            Stdin::File(path) => plan::Stdin::File { path: encode(path.as_os_str()) },
            Stdin::Setup(pipe) => plan::Stdin::Setup { pipe },
        };
        self
    }

    /// Sets the destination of the standard output. The default is [`Stdio::Pipe`].
    pub fn stdout<T: Into<Stdio>>(&mut self, stdout: T) -> &mut Self {
        self.command.stdout = stdout.into().into();
        self
    }

    /// Sets the destination of the standard error output. The default is [`Stdio::Pipe`].
    pub fn stderr<T: Into<Stdio>>(&mut self, stderr: T) -> &mut Self {
        self.command.stderr = stderr.into().into();
        self
    }

    /// Sets an environment variable, in addition to those of the configuration.
    pub fn env<K: AsRef<OsStr>, V: AsRef<OsStr>>(&mut self, name: K, value: V) -> &mut Self {
        let (name, value) = (encode(name.as_ref()), Some(encode(value.as_ref())));
        self.config.envs.push(Variable { name, value });
        self
    }

    /// Sets several environment variables, see [`Self::env`].
    pub fn envs<I, K, V>(&mut self, variables: I) -> &mut Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
        I: IntoIterator<Item = (K, V)>,
    {
        for (name, value) in variables {
            self.env(name, value);
        }
        self
    }

    /// Sets the directory that the command runs in. A relative path starts in the sandbox or, without one,
    /// in the package's directory, which are also the defaults.
    pub fn current_dir<T: AsRef<OsStr>>(&mut self, directory: T) -> &mut Self {
        self.config.current_dir = Some(encode(directory.as_ref()));
        self
    }

    /// Sets the expected exit code. The default is [`ExitWith::Success`].
    pub fn exit_with<T: Into<ExitWith>>(&mut self, exit_with: T) -> &mut Self {
        self.config.exit_with = Some(exit_with.into());
        self
    }

    /// Runs the setup at the same time as the command if `true`. The default is `false`, see
    /// [`BinaryBenchmarkConfig::setup_parallel`](crate::BinaryBenchmarkConfig::setup_parallel).
    pub fn setup_parallel(&mut self, value: bool) -> &mut Self {
        self.config.setup_parallel = Some(value);
        self
    }

    /// Sets the event that the command waits for before it starts. By default it starts after the setup,
    /// or together with a parallel setup.
    pub fn delay<T: Into<Delay>>(&mut self, delay: T) -> &mut Self {
        self.command.delay = Some(delay.into().0);
        self
    }

    /// Returns a copy of the command, at the end of a chain of calls.
    #[must_use]
    pub fn build(&mut self) -> Self {
        self.clone()
    }
}

from_references!(Command: &mut Command, &Command);

/// Source of the standard input of a [`Command`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// The output of the setup on one of its streams. Setup and command run at the same time.
    Setup(Pipe),
    /// The same as [`Self::Null`], because the runner needs the input of the whole run.
    #[default]
    Inherit,
    /// Empty input.
    Null,
    /// A file. A relative path starts in the directory that the command runs in.
    File(PathBuf),
    /// The same as [`Self::Null`], because no process writes to the pipe.
    Pipe,
}

/// Destination of an output of a [`Command`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdio {
    /// The output is captured and printed above the results, as with `--nocapture`.
    Inherit,
    /// The output is dropped.
    Null,
    /// A file, which is created or overwritten. A relative path starts in the directory that the command
    /// runs in.
    File(PathBuf),
    /// The output is captured. It is printed if the command fails, and with `--nocapture`.
    #[default]
    Pipe,
}

impl From<Stdio> for plan::Stdio {
    fn from(stdio: Stdio) -> Self {
        match stdio {
            Stdio::Inherit => Self::Show,
            Stdio::Null => Self::Null,
            Stdio::File(path) => Self::File { path: encode(path.as_os_str()) },
            Stdio::Pipe => Self::Capture,
        }
    }
}

impl From<Stdio> for Stdin {
    fn from(stdio: Stdio) -> Self {
        match stdio {
            Stdio::Inherit => Self::Inherit,
            Stdio::Null => Self::Null,
            Stdio::File(path) => Self::File(path),
            Stdio::Pipe => Self::Pipe,
        }
    }
}

/// Converts paths to the paths of files.
macro_rules! from_paths {
    ($($stream:ident from $path:ty;)*) => {$(
        impl From<$path> for $stream {
            fn from(path: $path) -> Self {
                Self::File(path.into())
            }
        }
    )*};
}

from_paths! {
    Stdin from PathBuf;
    Stdin from &PathBuf;
    Stdin from &Path;
    Stdio from PathBuf;
    Stdio from &PathBuf;
    Stdio from &Path;
}
