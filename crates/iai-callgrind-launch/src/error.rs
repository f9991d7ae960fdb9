//! Errors of launches.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iai_callgrind_base::FileError;
use iai_callgrind_plan::CounterNameError;
use iai_callgrind_process::{FOREIGN_MESSAGE, ProcessError};
use iai_callgrind_results::COUNTER_NAME;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a case can't run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A process can't run.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// Valgrind can't run.
    #[error("{0}")]
    Tools(#[from] iai_callgrind_tools::Error),
    /// A file of a result can't be read.
    #[error("{0}")]
    Store(#[from] iai_callgrind_store::Error),
    /// The launch has no place, no streams, no server or no counters.
    #[error("{0}")]
    Launch(#[from] LaunchError),
}

/// A reason why a launch has no place, no streams, no server or no counters.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum LaunchError {
    #[error("{FOREIGN_MESSAGE}")]
    ForeignMessage,
    #[error(
        "can't read {}: a pipe, which only one run of a command can read\nhelp: write its content to a file",
        path.display()
    )]
    InputPipe { path: PathBuf },
    #[error("can't write to {}: a pipe that no program reads", path.display())]
    OutputPipe { path: PathBuf },
    #[error("can't run in {}: there is no such directory", path.display())]
    NoDirectory { path: PathBuf },
    #[error("can't copy the fixture {} into the sandbox: the name is taken", path.display())]
    FixtureExists { path: PathBuf },
    #[error("there is no fixture {}", and_none(.places))]
    NoFixture { places: Vec<PathBuf> },
    #[error("the delay timed out: {expectation} within {limit:?} ({reason})")]
    Delay { expectation: String, limit: Duration, reason: io::Error },
    #[error("the benchmark reported the counter `{name}`: {problem}")]
    WrongCounter { name: String, problem: CounterProblem },
    #[error(
        "the benchmark reported more than {most} counters\nhelp: report fewer, such as sums of several"
    )]
    TooManyCounters { most: usize },
}

/// The reason why a benchmark can't report a counter.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum CounterProblem {
    #[error("{0}\nhelp: {COUNTER_NAME}")]
    Name(CounterNameError),
    #[error("{value} is not a value\nhelp: report a finite number that is not negative")]
    Value { value: String },
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}

/// Joins paths in which something is missing: `a and none b`.
fn and_none(places: &[PathBuf]) -> String {
    let places: Vec<_> = places.iter().map(|path| path.display().to_string()).collect();
    places.join(" and none ")
}
