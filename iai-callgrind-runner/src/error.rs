//! The error of a run, which joins the errors of all layers. Each layer has its causes, in the
//! words that the user reads: what failed, where, and what to do.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use iai_callgrind_base::console::{Section, indented};
use iai_callgrind_base::{FileError, help_line};
use iai_callgrind_cli::OptionsError;
use iai_callgrind_commands::CommandsError;
use iai_callgrind_history::HistoryError;
use iai_callgrind_launch::LaunchError;
use iai_callgrind_process::{Exceeded, ProcessError, signal_name};
use iai_callgrind_render::ReportError;
use iai_callgrind_results::values::MetricError;
use iai_callgrind_results::{ConfigurationError, SnapshotError};
use iai_callgrind_revisions::{AgainstError, GitError};
use iai_callgrind_store::{ExchangeError, OutputError, SelectionError};
use iai_callgrind_timing::TimeError;
use iai_callgrind_tools::tool::ToolFailure;
use iai_callgrind_tools::valgrind::error::ValgrindError;

use crate::checks::error::CheckError;
use crate::failure::Failure;
use crate::plan::PlanError;
use crate::run::error::{CommandFailure, RunError};
use crate::stored::error::StoredError;

/// The result of an operation that can fail.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a run, or one of its benchmarks, failed: the cause of a layer, or an error with its context.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{0}")]
    Process(ProcessError),
    #[error("{0}")]
    Valgrind(#[from] ValgrindError),
    #[error("{0}")]
    Options(#[from] OptionsError),
    #[error("{0}")]
    Plan(#[from] PlanError),
    #[error("{0}")]
    Commands(#[from] CommandsError),
    #[error("{0}")]
    Metric(#[from] MetricError),
    #[error("{0}")]
    Configuration(#[from] ConfigurationError),
    #[error("in the configuration of {benchmark}: {cause}")]
    InConfiguration { benchmark: String, cause: ConfigurationError },
    #[error("{0}")]
    Output(#[from] OutputError),
    #[error("{0}")]
    Selection(#[from] SelectionError),
    #[error("{0}")]
    Exchange(#[from] ExchangeError),
    #[error("{0}")]
    Git(#[from] GitError),
    #[error("{0}")]
    Against(#[from] AgainstError),
    #[error("{0}")]
    Run(#[from] RunError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error("{0}")]
    Time(TimeError),
    #[error("{0}")]
    Report(#[from] ReportError),
    #[error("{0}")]
    Stored(#[from] StoredError),
    #[error("{0}")]
    Snapshot(#[from] SnapshotError),
    #[error("{0}")]
    History(#[from] HistoryError),
    #[error("{0}")]
    Failure(#[from] Failure),
    #[error("{0}")]
    Tool(#[from] ToolFailure),
    #[error("{0}")]
    Command(#[from] CommandFailure),
    #[error("{0}")]
    Launch(#[from] LaunchError),
    #[error("interrupted by {}", signal_name(*.signal))]
    Interrupted { signal: i32 },
    #[error("{cause}{}{}", indented(.sections), help_line(*.help))]
    WithOutput { cause: Box<Error>, sections: Vec<Section>, help: Option<&'static str> },
    #[error("the directory {} was removed while the benchmark ran\n{cause}", path.display())]
    DirectoryRemoved { path: PathBuf, cause: Box<Error> },
    #[error("{benchmark}: {cause}")]
    OfBenchmark { benchmark: String, cause: Box<Error> },
    #[error("{}", several(.0))]
    Several(Vec<Error>),
}

impl Error {
    /// Returns true if arguments of the command line are wrong, whatever the results and the sources are.
    pub(crate) fn is_of_arguments(&self) -> bool {
        match self {
            Self::Metric(_) | Self::Options(_) => true,
            Self::Run(error) => matches!(error, RunError::UnknownSubcommand { .. }),
            Self::Stored(error) => {
                matches!(error, StoredError::NoEvent { .. } | StoredError::LimitsOfFiles)
            }
            Self::Output(error) => matches!(error, OutputError::BaselineName { .. }),
            Self::Several(errors) => errors.iter().all(Self::is_of_arguments),
            _ => false,
        }
    }
}

impl From<iai_callgrind_profile::Error> for Error {
    fn from(error: iai_callgrind_profile::Error) -> Self {
        FileError::from(error).into()
    }
}

impl From<ProcessError> for Error {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::File(error) => error.into(),
            ProcessError::Exceeded(exceeded) => exceeded.into(),
            ProcessError::Interrupted { signal } => Self::Interrupted { signal },
            error => Self::Process(error),
        }
    }
}

impl From<iai_callgrind_tools::Error> for Error {
    fn from(error: iai_callgrind_tools::Error) -> Self {
        use iai_callgrind_tools::Error as Tools;
        match error {
            Tools::File(error) => error.into(),
            Tools::Process(error) => error.into(),
            Tools::Valgrind(error) => error.into(),
            Tools::Tool(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_cli::Error> for Error {
    fn from(error: iai_callgrind_cli::Error) -> Self {
        use iai_callgrind_cli::Error as Cli;
        match error {
            Cli::File(error) => error.into(),
            Cli::Revisions(error) => error.into(),
            Cli::Store(error) => error.into(),
            Cli::Options(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_commands::Error> for Error {
    fn from(error: iai_callgrind_commands::Error) -> Self {
        use iai_callgrind_commands::Error as Commands;
        match error {
            Commands::File(error) => error.into(),
            Commands::Commands(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_launch::Error> for Error {
    fn from(error: iai_callgrind_launch::Error) -> Self {
        use iai_callgrind_launch::Error as Launch;
        match error {
            Launch::File(error) => error.into(),
            Launch::Process(error) => error.into(),
            Launch::Tools(error) => error.into(),
            Launch::Store(error) => error.into(),
            Launch::Launch(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_timing::Error> for Error {
    fn from(error: iai_callgrind_timing::Error) -> Self {
        use iai_callgrind_timing::Error as Timing;
        match error {
            Timing::Time(error) => Self::Time(error),
            Timing::Process(error) => error.into(),
            Timing::NotReached { panicked } => Failure::NotReached { panicked }.into(),
            Timing::Ended(status) => Failure::of_status(status).into(),
        }
    }
}

impl From<iai_callgrind_render::Error> for Error {
    fn from(error: iai_callgrind_render::Error) -> Self {
        use iai_callgrind_render::Error as Render;
        match error {
            Render::File(error) => error.into(),
            Render::Process(error) => error.into(),
            Render::Report(error) => error.into(),
            Render::Tools(error) => error.into(),
            Render::History(error) => error.into(),
            Render::Store(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_results::Error> for Error {
    fn from(error: iai_callgrind_results::Error) -> Self {
        use iai_callgrind_results::Error as Results;
        match error {
            Results::File(error) => error.into(),
            Results::Snapshot(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_history::Error> for Error {
    fn from(error: iai_callgrind_history::Error) -> Self {
        use iai_callgrind_history::Error as History;
        match error {
            History::File(error) => error.into(),
            History::Process(error) => error.into(),
            History::Revisions(error) => error.into(),
            History::Store(error) => error.into(),
            History::History(error) => error.into(),
            History::Several(errors) => Self::Several(errors.into_iter().map(Self::from).collect()),
        }
    }
}

impl From<iai_callgrind_revisions::Error> for Error {
    fn from(error: iai_callgrind_revisions::Error) -> Self {
        use iai_callgrind_revisions::Error as Revisions;
        match error {
            Revisions::File(error) => error.into(),
            Revisions::Process(error) => error.into(),
            Revisions::Store(error) => error.into(),
            Revisions::Git(error) => error.into(),
            Revisions::Against(error) => error.into(),
        }
    }
}

impl From<iai_callgrind_store::Error> for Error {
    fn from(error: iai_callgrind_store::Error) -> Self {
        use iai_callgrind_store::Error as Store;
        match error {
            Store::File(error) => error.into(),
            Store::Process(error) => error.into(),
            Store::Output(error) => error.into(),
            Store::Exchange(error) => error.into(),
            Store::Selection(error) => error.into(),
            Store::Tools(error) => error.into(),
        }
    }
}

impl From<Exceeded> for Error {
    fn from(exceeded: Exceeded) -> Self {
        let error = Self::from(Failure::Exceeded(exceeded.limit()));
        match exceeded.threads() {
            None => error,
            Some(threads) => error.with_output(vec![("threads", threads.to_owned())]),
        }
    }
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }

    /// Returns an error with all of these, if there are any. Common parts are printed once.
    pub(crate) fn all(mut errors: Vec<Self>) -> Result<()> {
        let mut texts = HashSet::new();
        errors.retain(|error| texts.insert(error.to_string()));
        if errors.is_empty() { Ok(()) } else { Err(Self::Several(errors)) }
    }

    /// Names the benchmark that the error is about.
    pub(crate) fn of_benchmark(self, benchmark: String) -> Self {
        Self::OfBenchmark { benchmark, cause: Box::new(self) }
    }

    /// Adds output after the output that the error already shows.
    pub(crate) fn with_output(self, more: Vec<Section>) -> Self {
        match self {
            Self::WithOutput { cause, mut sections, help } => {
                sections.extend(more);
                Self::WithOutput { cause, sections, help }
            }
            cause => Self::WithOutput { cause: Box::new(cause), sections: more, help: None },
        }
    }

    /// Adds help that refers to the output, after it.
    pub(crate) fn with_help(self, help: Option<&'static str>) -> Self {
        match self {
            error if help.is_none() => error,
            Self::WithOutput { cause, sections, .. } => Self::WithOutput { cause, sections, help },
            cause => Self::WithOutput { cause: Box::new(cause), sections: Vec::new(), help },
        }
    }

    /// Adds output before the output that the error already shows.
    pub(crate) fn with_output_before(self, section: Section) -> Self {
        match self {
            Self::WithOutput { cause, mut sections, help } => {
                sections.insert(0, section);
                Self::WithOutput { cause, sections, help }
            }
            cause => cause.with_output(vec![section]),
        }
    }
}

/// Joins several errors. Each after the first one starts on a line of its own.
fn several(errors: &[Error]) -> String {
    errors.iter().map(Error::to_string).collect::<Vec<_>>().join("\nerror: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_errors_have_in_common_is_said_once() {
        let missing = |path: &str| {
            Error::io("read", Path::new(path))(io::Error::new(io::ErrorKind::NotFound, "no"))
        };
        let all = Error::all(vec![missing("a"), missing("b"), missing("a")]);
        assert_eq!(all.unwrap_err().to_string(), "can't read a: no\nerror: can't read b: no");
        Error::all(Vec::new()).unwrap();
    }
}
