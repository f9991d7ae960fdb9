//! Benchmarks that a function adds to a group, and their cases.

use std::error::Error as StdError;
use std::path::Path;
use std::{fmt, fs, io};

use iai_callgrind_plan::Config;

use super::Command;
use super::action::Action;
use crate::config::{BinaryBenchmarkConfig, from_references};
use crate::error::{Cause, Error};

/// Id of a benchmark in its group, or of a case in its benchmark.
///
/// Any text except an empty one is allowed. Titles, filters and the names of directories contain the id.
/// In the names of directories, a percent sign and a number replace each character that is neither a
/// letter nor a digit.
///
/// ```
/// use iai_callgrind::BenchmarkId;
///
/// assert_eq!(BenchmarkId::with_parameter("lines", 100).to_string(), "lines_100");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchmarkId(pub(crate) String);

impl BenchmarkId {
    /// Creates the id with this text.
    #[must_use]
    pub fn new<T: Into<String>>(id: T) -> Self {
        Self(id.into())
    }

    /// Creates the id `id_parameter`.
    #[must_use]
    pub fn with_parameter<T: AsRef<str>, P: fmt::Display>(id: T, parameter: P) -> Self {
        Self(format!("{}_{parameter}", id.as_ref()))
    }
}

impl fmt::Display for BenchmarkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<T: AsRef<str>> From<T> for BenchmarkId {
    fn from(id: T) -> Self {
        Self(id.as_ref().to_owned())
    }
}

/// Benchmark with its cases, the equivalent of a function with `#[binary_benchmark]`.
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
    /// `None` if the cases are the group's.
    pub(crate) id: Option<BenchmarkId>,
    pub(crate) config: Config,
    pub(crate) benches: Vec<Bench>,
    pub(crate) setup: Option<Action>,
    pub(crate) teardown: Option<Action>,
}

impl BinaryBenchmark {
    /// Creates a benchmark without cases. The id must be unique in its group.
    pub fn new<T: Into<BenchmarkId>>(id: T) -> Self {
        Self::with_id(Some(id.into()))
    }

    /// Creates a benchmark without cases.
    pub(crate) fn with_id(id: Option<BenchmarkId>) -> Self {
        let config = Config::default();
        Self { id, config, benches: Vec::new(), setup: None, teardown: None }
    }

    /// Sets the configuration of the cases.
    pub fn config<T: Into<BinaryBenchmarkConfig>>(&mut self, config: T) -> &mut Self {
        self.config = config.into().into();
        self
    }

    /// Adds the cases of a [`Bench`].
    pub fn bench<T: Into<Bench>>(&mut self, bench: T) -> &mut Self {
        self.benches.push(bench.into());
        self
    }

    /// Sets the function that runs before the command of each case without its own setup.
    pub fn setup(&mut self, setup: fn()) -> &mut Self {
        self.setup = Some(Action::Plain(setup));
        self
    }

    /// Sets the function that runs after the command of each case without its own teardown.
    pub fn teardown(&mut self, teardown: fn()) -> &mut Self {
        self.teardown = Some(Action::Plain(teardown));
        self
    }
}

from_references!(BinaryBenchmark: &mut BinaryBenchmark, &BinaryBenchmark);

/// Case of a [`BinaryBenchmark`], the equivalent of `#[bench]`, or several cases, as with `#[benches]`.
/// The ids of several cases end with `_0`, `_1` and so on.
///
/// ```
/// use iai_callgrind::{Bench, Command};
///
/// Bench::new("short").command(Command::new("sort").arg("short.txt"));
/// ```
#[derive(Debug, Clone)]
pub struct Bench {
    /// `None` for the only case of a function without `#[bench]`.
    pub(crate) id: Option<BenchmarkId>,
    pub(crate) config: Config,
    pub(crate) commands: Vec<Command>,
    /// `true` if the ids end with a number.
    pub(crate) is_numbered: bool,
    /// Size of the input.
    pub(crate) size: Option<i64>,
    /// Growth curve within the benchmark. The commands of a numbered case have their own, with the id as its name.
    pub(crate) curve: Option<&'static str>,
    pub(crate) setup: Option<Action>,
    pub(crate) teardown: Option<Action>,
}

impl Bench {
    /// Creates a case without a command. The id must be unique in its benchmark.
    pub fn new<T: Into<BenchmarkId>>(id: T) -> Self {
        Self::with_id(Some(id.into()))
    }

    /// Creates a case without a command.
    pub(crate) fn with_id(id: Option<BenchmarkId>) -> Self {
        Self {
            id,
            config: Config::default(),
            commands: Vec::new(),
            is_numbered: false,
            size: None,
            curve: None,
            setup: None,
            teardown: None,
        }
    }

    /// Sets the configuration of the case.
    pub fn config<T: Into<BinaryBenchmarkConfig>>(&mut self, config: T) -> &mut Self {
        self.config = config.into().into();
        self
    }

    /// Adds a command to measure. Each of several commands is a case.
    pub fn command<T: Into<Command>>(&mut self, command: T) -> &mut Self {
        self.commands.push(command.into());
        self.is_numbered = self.commands.len() > 1;
        self
    }

    /// Adds several commands, each of which is a case.
    pub fn commands<I, T>(&mut self, commands: T) -> &mut Self
    where
        I: Into<Command>,
        T: IntoIterator<Item = I>,
    {
        self.commands.extend(commands.into_iter().map(Into::into));
        self.is_numbered = true;
        self
    }

    /// Adds the command that `generator` returns for each line of a file. A relative path starts in the
    /// package's directory.
    ///
    /// ```no_run
    /// use iai_callgrind::{Bench, Command};
    ///
    /// # fn main() -> Result<(), iai_callgrind::Error> {
    /// Bench::new("sleep").file("benches/seconds.txt", |line| {
    ///     let seconds: u64 = line.parse()?;
    ///     Ok(Command::new("sleep").arg(seconds.to_string()).build())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the file can't be read, is not UTF-8 or is empty, or if `generator` returns an error.
    pub fn file<T>(
        &mut self,
        path: T,
        generator: fn(String) -> Result<Command, Box<dyn StdError + Send + Sync>>,
    ) -> Result<&mut Self, Error>
    where
        T: AsRef<Path>,
    {
        let path = path.as_ref().to_owned();
        let text = match read(&path) {
            Ok(text) if text.is_empty() => return Err(Error(Cause::EmptyFile(path))),
            Ok(text) => text,
            Err(error) => return Err(Error(Cause::ReadFile { path, error })),
        };
        for (text, line) in text.lines().zip(1..) {
            let command = generator(text.to_owned());
            let failed = |error| Error(Cause::FileLine { path: path.clone(), line, error });
            self.commands.push(command.map_err(failed)?);
        }
        self.is_numbered = true;
        Ok(self)
    }

    /// Sets the function that runs before the command, in the sandbox.
    pub fn setup(&mut self, setup: fn()) -> &mut Self {
        self.setup = Some(Action::Plain(setup));
        self
    }

    /// Sets the function that runs after the command, in the sandbox, also after a failed command.
    pub fn teardown(&mut self, teardown: fn()) -> &mut Self {
        self.teardown = Some(Action::Plain(teardown));
        self
    }
}

/// Reads a regular file. A pipe would block.
fn read(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    fs::read_to_string(path)
}

from_references!(Bench: &mut Bench, &Bench);
