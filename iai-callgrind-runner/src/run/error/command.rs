//! Reasons why a command, its setup and teardown, or a benchmark in its directory can't run.

use std::path::PathBuf;
use std::time::Duration;

/// A reason why a command, a hook or a function in a directory of its own can't run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    #[error(
        "{hook}: timed out after {limit:?} and was killed\nhelp: check for a deadlock or raise --timeout"
    )]
    HookTimedOut { hook: String, limit: Duration },
    #[error("{hook} failed")]
    HookFailed { hook: String },
    #[error("no setup: the standard input of the command is the output of its setup")]
    NoSetup,
    #[error("can't run in {}: there is no such directory", path.display())]
    NoDirectory { path: PathBuf },
    #[error(
        "there is no program `{name}` in PATH, and the package has no binary of that name\nhelp: write \
         `env!(\"CARGO_BIN_EXE_{name}\")` for a binary of the package"
    )]
    UnknownProgram { name: String },
    #[error(
        "there is no program `{name}` in PATH\nhelp: check the name, or write a path, such as `./{name}`"
    )]
    UnknownCommand { name: String },
    #[error("there is no program {}", path.display())]
    NoProgram { path: PathBuf },
    #[error("{} can't be executed", path.display())]
    NotExecutable { path: PathBuf },
    #[error("the path of the program {} is not UTF-8", path.display())]
    ProgramPath { path: PathBuf },
    #[error("can't copy the fixture {} into the sandbox: the name is taken", path.display())]
    FixtureExists { path: PathBuf },
    #[error("there is no fixture {}", and_none(.places))]
    NoFixture { places: Vec<PathBuf> },
    #[error("the delay timed out: {expectation} within {limit:?} ({reason})")]
    Delay { expectation: String, limit: Duration, reason: std::io::Error },
}

/// Joins paths in which something is missing: `a and none b`.
fn and_none(places: &[PathBuf]) -> String {
    let places: Vec<_> = places.iter().map(|path| path.display().to_string()).collect();
    places.join(" and none ")
}
