//! Runs of the group's command or of their own command, an older spelling of cases.

use std::ffi::OsStr;

use iai_callgrind_plan::metric::MetricKind;
use iai_callgrind_plan::{
    Complexity, Config, ExitWith, Throughput, ValgrindTool, Variable, encode,
};

use super::{Bench, BenchmarkId, BinaryBenchmark, Command};
use crate::config::{
    Callgrind, Fixtures, FlamegraphConfig, OutputFormat, RegressionConfig, Sandbox, Tool,
    command_methods, from_references, place_methods, set_limit, shared_methods,
};

/// Runs of a command with different arguments, each of which is a case of the group.
///
/// ```
/// use iai_callgrind::{Arg, BinaryBenchmarkGroup, Run};
///
/// fn fill(group: &mut BinaryBenchmarkGroup) {
///     group.bench(
///         Run::with_cmd("sort", Arg::new("by number", ["--numeric-sort", "/etc/services"]))
///             .envs(["LANG=C", "HOME"]),
///     );
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    program: Option<String>,
    args: Vec<Arg>,
    config: Config,
}

impl Run {
    fn new(program: Option<String>, args: Vec<Arg>) -> Self {
        Self { program, args, config: Config::default() }
    }

    /// Creates a run of the group's command.
    #[must_use]
    pub fn with_arg<T: Into<Arg>>(arg: T) -> Self {
        Self::with_args([arg])
    }

    /// Creates several runs of the group's command.
    #[must_use]
    pub fn with_args<I: Into<Arg>, T: IntoIterator<Item = I>>(args: T) -> Self {
        Self::new(None, args.into_iter().map(Into::into).collect())
    }

    /// Creates a run of this command: a name in `PATH` or a path, see [`Command`].
    #[must_use]
    pub fn with_cmd<C: AsRef<OsStr>, T: Into<Arg>>(command: C, arg: T) -> Self {
        Self::with_cmd_args(command, [arg])
    }

    /// Creates several runs of this command, see [`Self::with_cmd`].
    #[must_use]
    pub fn with_cmd_args<C, I, T>(command: C, args: T) -> Self
    where
        C: AsRef<OsStr>,
        I: Into<Arg>,
        T: IntoIterator<Item = I>,
    {
        let args = args.into_iter().map(Into::into).collect();
        Self::new(Some(encode(command.as_ref())), args)
    }

    /// Adds a run with other arguments.
    pub fn arg<T: Into<Arg>>(&mut self, arg: T) -> &mut Self {
        self.args.push(arg.into());
        self
    }

    /// Adds several runs with other arguments.
    pub fn args<I: Into<Arg>, T: IntoIterator<Item = I>>(&mut self, args: T) -> &mut Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets several options at once.
    pub fn options<T: Into<Options>>(&mut self, options: T) -> &mut Self {
        self.config.update(options.into().0);
        self
    }

    /// Converts the runs to cases. The group's program is the default.
    pub(super) fn into_benchmark(self, program: Option<&str>) -> BinaryBenchmark {
        let program = self.program.as_deref().or(program).unwrap_or_default();
        let mut benchmark = BinaryBenchmark::with_id(None);
        benchmark.config = self.config;
        for arg in self.args {
            let mut command = Command::default();
            program.clone_into(&mut command.command.program);
            command.command.args = arg.args;
            benchmark.bench(Bench::new(arg.id.0).command(command));
        }
        benchmark
    }
}

shared_methods!(Run, config);
command_methods!(Run, config);
place_methods!(Run, config);
from_references!(Run: &mut Run);

/// Arguments of a command, with the id of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    id: BenchmarkId,
    args: Vec<String>,
}

impl Arg {
    /// Creates a case with these arguments. The id must be unique in its group.
    pub fn new<T, I, A>(id: T, args: A) -> Self
    where
        T: Into<BenchmarkId>,
        I: AsRef<OsStr>,
        A: IntoIterator<Item = I>,
    {
        let args = args.into_iter().map(|arg| encode(arg.as_ref())).collect();
        Self { id: id.into(), args }
    }

    /// Creates a case without arguments. The id must be unique in its group.
    pub fn empty<T: Into<BenchmarkId>>(id: T) -> Self {
        Self { id: id.into(), args: Vec::new() }
    }
}

from_references!(Arg: &Arg);

impl<T: Into<BenchmarkId>, I: AsRef<OsStr>, A: IntoIterator<Item = I>> From<(T, A)> for Arg {
    fn from((id, args): (T, A)) -> Self {
        Self::new(id, args)
    }
}

/// Options of a [`Run`], which has the same methods.
///
/// ```
/// use iai_callgrind::{Arg, ExitWith, Options, Run};
///
/// Run::with_cmd("false", Arg::empty("fails"))
///     .options(Options::default().exit_with(ExitWith::Failure));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options(Config);

command_methods!(Options, 0);
place_methods!(Options, 0);

impl Options {
    /// Sets only the configured environment variables if `true`, see [`Run::env_clear`].
    pub fn env_clear(&mut self, value: bool) -> &mut Self {
        self.0.env_clear = Some(value);
        self
    }
}

from_references!(Options: &mut Options);
