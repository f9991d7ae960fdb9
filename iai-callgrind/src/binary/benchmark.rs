//! What a function adds to a group: benchmarks with the cases that they consist of.

use std::fmt;
use std::fs;
use std::path::Path;

use iai_callgrind_plan::Config;

use super::Command;
use super::group::Action;
use crate::config::{BinaryBenchmarkConfig, from_references};

/// What tells benchmarks of a group, or cases of a benchmark, apart.
///
/// Any text will do: it stands in titles, in filters, and in the names of directories, where a percent
/// sign and a number take the place of what is neither a letter nor a digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchmarkId(pub(crate) String);

impl BenchmarkId {
    /// This id.
    #[must_use]
    pub fn new<T>(id: T) -> Self
    where
        T: Into<String>,
    {
        Self(id.into())
    }

    /// The id `id_parameter`.
    #[must_use]
    pub fn with_parameter<T, P>(id: T, parameter: P) -> Self
    where
        T: AsRef<str>,
        P: fmt::Display,
    {
        Self(format!("{}_{parameter}", id.as_ref()))
    }
}

impl fmt::Display for BenchmarkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<T> From<T> for BenchmarkId
where
    T: AsRef<str>,
{
    fn from(id: T) -> Self {
        Self(id.as_ref().to_owned())
    }
}

/// Cases under an id, as a function that is annotated with `#[binary_benchmark]`.
///
/// ```
/// use iai_callgrind::{Bench, BinaryBenchmark, Command};
///
/// BinaryBenchmark::new("sorting")
///     .bench(Bench::new("numerically").command(Command::new("sort").arg("-n")))
///     .bench(Bench::new("backwards").command(Command::new("sort").arg("-r")));
/// ```
#[derive(Debug, Clone)]
pub struct BinaryBenchmark {
    /// None if the cases are the group's.
    pub(super) id: Option<BenchmarkId>,
    pub(super) config: Config,
    pub(super) benches: Vec<Bench>,
    pub(super) setup: Option<Action>,
    pub(super) teardown: Option<Action>,
}

impl BinaryBenchmark {
    /// A benchmark without cases. The id has to be unique in its group.
    pub fn new<T>(id: T) -> Self
    where
        T: Into<BenchmarkId>,
    {
        Self::with_id(Some(id.into()))
    }

    pub(super) fn with_id(id: Option<BenchmarkId>) -> Self {
        let config = Config::default();
        Self { id, config, benches: Vec::new(), setup: None, teardown: None }
    }

    /// The configuration of its cases.
    pub fn config<T>(&mut self, config: T) -> &mut Self
    where
        T: Into<BinaryBenchmarkConfig>,
    {
        self.config = config.into().into();
        self
    }

    /// Adds a case, or several.
    pub fn bench<T>(&mut self, bench: T) -> &mut Self
    where
        T: Into<Bench>,
    {
        self.benches.push(bench.into());
        self
    }

    /// What runs before the command of each case that has no set-up of its own.
    pub fn setup(&mut self, setup: fn()) -> &mut Self {
        self.setup = Some(Action::Plain(setup));
        self
    }

    /// What runs after the command of each case that has no tear-down of its own.
    pub fn teardown(&mut self, teardown: fn()) -> &mut Self {
        self.teardown = Some(Action::Plain(teardown));
        self
    }
}

from_references!(BinaryBenchmark: &mut BinaryBenchmark, &BinaryBenchmark);

/// A case of a [`BinaryBenchmark`], as a `#[bench]`; or several, as a `#[benches]`, whose ids end with
/// `_0`, `_1` and so on.
#[derive(Debug, Clone)]
pub struct Bench {
    /// None for the only case of a function without `#[bench]`.
    pub(super) id: Option<BenchmarkId>,
    pub(super) config: Config,
    pub(super) commands: Vec<Command>,
    /// Whether a number ends the ids.
    pub(super) is_numbered: bool,
    pub(super) setup: Option<Action>,
    pub(super) teardown: Option<Action>,
}

impl Bench {
    /// A case without a command. The id has to be unique in its benchmark.
    pub fn new<T>(id: T) -> Self
    where
        T: Into<BenchmarkId>,
    {
        Self::with_id(Some(id.into()))
    }

    pub(super) fn with_id(id: Option<BenchmarkId>) -> Self {
        Self {
            id,
            config: Config::default(),
            commands: Vec::new(),
            is_numbered: false,
            setup: None,
            teardown: None,
        }
    }

    /// Its configuration.
    pub fn config<T>(&mut self, config: T) -> &mut Self
    where
        T: Into<BinaryBenchmarkConfig>,
    {
        self.config = config.into().into();
        self
    }

    /// Adds the command that is measured. With more than one, each is a case.
    pub fn command<T>(&mut self, command: T) -> &mut Self
    where
        T: Into<Command>,
    {
        self.commands.push(command.into());
        self.is_numbered = self.commands.len() > 1;
        self
    }

    /// Adds several commands, each of them a case.
    pub fn commands<I, T>(&mut self, commands: T) -> &mut Self
    where
        I: Into<Command>,
        T: IntoIterator<Item = I>,
    {
        self.commands.extend(commands.into_iter().map(Into::into));
        self.is_numbered = true;
        self
    }

    /// Adds a command for each line of a file, which `generator` makes of it. The path is used as it is,
    /// and starts in the package's directory if it is relative.
    ///
    /// The error says what is wrong with the file, or with which line.
    pub fn file<T>(
        &mut self,
        path: T,
        generator: fn(String) -> Result<Command, String>,
    ) -> Result<&mut Self, String>
    where
        T: AsRef<Path>,
    {
        let path = path.as_ref();
        let text = fs::read_to_string(path)
            .map_err(|error| format!("can't read {}: {error}", path.display()))?;
        if text.is_empty() {
            return Err(format!("{} is empty: write a line for each case into it", path.display()));
        }
        for (line, number) in text.lines().zip(1..) {
            let command = generator(line.to_owned())
                .map_err(|error| format!("{}:{number}: {error}", path.display()))?;
            self.commands.push(command);
        }
        self.is_numbered = true;
        Ok(self)
    }

    /// What runs before the command, in the sandbox.
    pub fn setup(&mut self, setup: fn()) -> &mut Self {
        self.setup = Some(Action::Plain(setup));
        self
    }

    /// What runs after the command, in the sandbox, also when the command failed.
    pub fn teardown(&mut self, teardown: fn()) -> &mut Self {
        self.teardown = Some(Action::Plain(teardown));
        self
    }
}

from_references!(Bench: &mut Bench, &Bench);
