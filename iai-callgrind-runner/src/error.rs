//! Errors of a run, in the words that the user reads: what failed, where, and what to do.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fmt, io};

use crate::failure::Failure;

/// The result of an operation that can fail.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why a run, or one of its benchmarks, failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the plan can't be read: {0}")]
    Plan(#[from] serde_json::Error),
    #[error(
        "the plan has version {found} but this is iai-callgrind-runner {runner}, which reads version \
         {readable}.\nThe benchmarks were built with iai-callgrind {library}: use the runner of that \
         version"
    )]
    PlanVersion { found: u32, readable: u32, runner: &'static str, library: String },
    #[error("the plan can't be used: `{name}` can't be the name of a {what}, because files get it")]
    PlanName { what: &'static str, name: String },
    #[error("can't {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "{}:{line}: {what}: it is truncated or not what known versions of {tool} write; remove it to start \
         afresh", path.display()
    )]
    Malformed { path: PathBuf, line: usize, what: String, tool: &'static str },
    #[error("callgrind wrote no profile for {}", path.display())]
    NoProfile { path: PathBuf },
    #[error(
        "can't find `valgrind` in PATH.\nInstall it with the system's package manager, for example \
         `apt install valgrind` or `dnf install valgrind`"
    )]
    NoValgrind,
    #[error(
        "there is no program {}.\n--valgrind-path and IAI_CALLGRIND_VALGRIND_PATH take the path of a \
         `valgrind`", program.display()
    )]
    NotValgrind { program: PathBuf },
    #[error("can't run {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    #[error("{}", ServerEnded { program, status: *status })]
    ServerEnded { program: PathBuf, status: Option<ExitStatus> },
    #[error("{cause}{}", Sections(.sections))]
    WithOutput { cause: Box<Error>, sections: Vec<Section> },
    #[error("the directory {} was removed while the benchmark ran\n{cause}", path.display())]
    StagingRemoved { path: PathBuf, cause: Box<Error> },
    #[error("the file system of {} is full\n{cause}", path.display())]
    DiskFull { path: PathBuf, cause: Box<Error> },
    #[error("`{name}` can't name a baseline: {why}.\nUse letters, digits, `-`, `_` and `.`")]
    BaselineName { name: String, why: &'static str },
    #[error(
        "none of these benchmarks has a baseline `{name}`\nhelp: save one with \
         `cargo bench -- --save-baseline={name}`"
    )]
    NoBaseline { name: String },
    #[error(
        "can't compare the baseline `{name}` with itself\nhelp: give --load-baseline and --baseline different \
         names"
    )]
    SameBaseline { name: String },
    #[error("{0}")]
    Output(String),
    #[error("{0}")]
    Report(String),
    #[error("{0}")]
    Stored(String),
    #[error("in the configuration of {benchmark}: {what}")]
    Config { benchmark: String, what: String },
    #[error("interrupted by {}", signal_name(*.signal))]
    Interrupted { signal: i32 },
    #[error("{0}")]
    Case(String),
    #[error("{0}")]
    Failure(#[from] Failure),
}

/// Output of a process with the name under which an error shows it.
pub(crate) type Section = (&'static str, String);

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// Adds output after that which the error already shows.
    pub(crate) fn with_output(self, more: Vec<Section>) -> Self {
        match self {
            Self::WithOutput { cause, mut sections } => {
                sections.extend(more);
                Self::WithOutput { cause, sections }
            }
            cause => Self::WithOutput { cause: Box::new(cause), sections: more },
        }
    }

    /// Adds output before that which the error already shows.
    pub(crate) fn with_output_before(self, section: Section) -> Self {
        match self {
            Self::WithOutput { cause, mut sections } => {
                sections.insert(0, section);
                Self::WithOutput { cause, sections }
            }
            cause => cause.with_output(vec![section]),
        }
    }
}

fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}

/// The end of Valgrind before all benchmarks ran.
struct ServerEnded<'a> {
    program: &'a Path,
    status: Option<ExitStatus>,
}

impl fmt::Display for ServerEnded<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ended before the benchmarks did", self.program.display())?;
        self.status.map_or(Ok(()), |status| write!(formatter, " ({status})"))
    }
}

/// The output of a process, each section indented under its name; empty sections are left out.
struct Sections<'a>(&'a [Section]);

impl fmt::Display for Sections<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, text) in self.0.iter().filter(|(_, text)| !text.trim().is_empty()) {
            write!(formatter, "\n  {name}:")?;
            for line in text.trim_end().lines() {
                write!(formatter, "\n    {line}")?;
            }
        }
        Ok(())
    }
}
