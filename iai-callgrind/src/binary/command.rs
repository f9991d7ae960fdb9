//! The command that a binary benchmark measures.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use iai_callgrind_plan::{self as plan, Config, ExitWith, Pipe, Variable};

use super::{Delay, text};
use crate::config::from_references;

/// The command that a binary benchmark measures.
///
/// The program is one of the package's own binaries (`env!("CARGO_BIN_EXE_name")`), the name of one in
/// `PATH`, or a path. A relative path starts in the directory that the command runs in.
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
    /// The command that runs this program without arguments.
    #[must_use]
    pub fn new<T>(program: T) -> Self
    where
        T: AsRef<OsStr>,
    {
        let program = text(program.as_ref());
        let command = plan::Command { program, ..plan::Command::default() };
        Self { command, config: Config::default() }
    }

    /// Adds an argument.
    pub fn arg<T>(&mut self, arg: T) -> &mut Self
    where
        T: AsRef<OsStr>,
    {
        self.command.args.push(text(arg.as_ref()));
        self
    }

    /// Adds several arguments.
    pub fn args<I, T>(&mut self, args: T) -> &mut Self
    where
        I: AsRef<OsStr>,
        T: IntoIterator<Item = I>,
    {
        for arg in args {
            self.arg(arg);
        }
        self
    }

    /// Where the standard input comes from. By default it is empty.
    pub fn stdin<T>(&mut self, stdin: T) -> &mut Self
    where
        T: Into<Stdin>,
    {
        self.command.stdin = match stdin.into() {
            Stdin::Inherit | Stdin::Null | Stdin::Pipe => plan::Stdin::Null,
            Stdin::File(path) => plan::Stdin::File { path: text(path.as_os_str()) },
            Stdin::Setup(pipe) => plan::Stdin::Setup { pipe },
        };
        self
    }

    /// Where the standard output goes. By default it is captured, see [`Stdio::Pipe`].
    pub fn stdout<T>(&mut self, stdout: T) -> &mut Self
    where
        T: Into<Stdio>,
    {
        self.command.stdout = stdout.into().into();
        self
    }

    /// Where the standard error output goes. By default it is captured, see [`Stdio::Pipe`].
    pub fn stderr<T>(&mut self, stderr: T) -> &mut Self
    where
        T: Into<Stdio>,
    {
        self.command.stderr = stderr.into().into();
        self
    }

    /// Sets an environment variable, in addition to those that are configured.
    pub fn env<K, V>(&mut self, name: K, value: V) -> &mut Self
    where
        K: AsRef<OsStr>,
        V: AsRef<OsStr>,
    {
        let (name, value) = (text(name.as_ref()), Some(text(value.as_ref())));
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

    /// The directory that the command runs in. A relative path starts in the sandbox or, if there is none,
    /// in the package. The default is that start itself.
    pub fn current_dir<T>(&mut self, directory: T) -> &mut Self
    where
        T: AsRef<OsStr>,
    {
        self.config.current_dir = Some(text(directory.as_ref()));
        self
    }

    /// How the command is expected to end. The default is [`ExitWith::Success`].
    pub fn exit_with<T>(&mut self, exit_with: T) -> &mut Self
    where
        T: Into<ExitWith>,
    {
        self.config.exit_with = Some(exit_with.into());
        self
    }

    /// Whether the set-up goes on while the command runs, see
    /// [`BinaryBenchmarkConfig::setup_parallel`](crate::BinaryBenchmarkConfig::setup_parallel).
    pub fn setup_parallel(&mut self, value: bool) -> &mut Self {
        self.config.setup_parallel = Some(value);
        self
    }

    /// What the command waits for before it starts. By default it starts when the set-up has ended, or
    /// at once if that goes on beside it.
    pub fn delay<T>(&mut self, delay: T) -> &mut Self
    where
        T: Into<Delay>,
    {
        self.command.delay = Some(delay.into().0);
        self
    }

    /// The command as it is now, at the end of a chain of calls.
    #[must_use]
    pub fn build(&mut self) -> Self {
        self.clone()
    }
}

from_references!(Command: &mut Command, &Command);

/// Where the standard input of a [`Command`] comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// What the set-up prints on one of its streams. The two run at the same time
    Setup(Pipe),
    /// It is empty, because the input of the whole run is the runner's
    #[default]
    Inherit,
    /// It is empty
    Null,
    /// A file. A relative path starts in the directory that the command runs in
    File(PathBuf),
    /// It is empty
    Pipe,
}

/// Where an output of a [`Command`] goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdio {
    /// It is captured, and shown above the results as by `--nocapture`
    Inherit,
    /// Nowhere
    Null,
    /// Into a file, which is created, or emptied if it is there. A relative path starts in the directory
    /// that the command runs in
    File(PathBuf),
    /// It is captured, and shown if the command fails or `--nocapture` is given
    #[default]
    Pipe,
}

impl From<Stdio> for plan::Stdio {
    fn from(stdio: Stdio) -> Self {
        match stdio {
            Stdio::Inherit => Self::Show,
            Stdio::Null => Self::Null,
            Stdio::File(path) => Self::File { path: text(path.as_os_str()) },
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

/// Paths are those of files.
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
