//! What can go wrong, in words that say what happened, where, and what to do next.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

/// The result of everything in the runner that can fail.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a run, or one of its benchmarks, failed.
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
    #[error("{what}{}", Said(.said))]
    Process { what: String, said: Vec<(&'static str, String)> },
    #[error("`{name}` can't name a baseline: {why}.\nUse letters, digits, `-`, `_` and `.`")]
    BaselineName { name: String, why: &'static str },
    #[error("{0}")]
    Baseline(String),
    #[error("{0}")]
    Output(String),
    #[error("{0}")]
    Report(String),
    #[error("{0}")]
    Stored(String),
    #[error("in the configuration of {benchmark}: {what}")]
    Config { benchmark: String, what: String },
    #[error("the {what} failed{}", Said(.said))]
    Hook { what: String, said: Vec<(&'static str, String)> },
    #[error(
        "it did not end within {limit:?}, and was killed.\nLook for what it waits for, or give it more time \
         with --timeout"
    )]
    Overdue { limit: Duration },
    #[error("interrupted by {}", signal_name(*.signal))]
    Interrupted { signal: i32 },
    #[error("{0}")]
    Case(String),
}

impl Error {
    /// Makes an I/O error say what was tried with which file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

fn signal_name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}

/// The output of a process, each part under its name, indented; empty parts are left out.
struct Said<'a>(&'a [(&'static str, String)]);

impl fmt::Display for Said<'_> {
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
