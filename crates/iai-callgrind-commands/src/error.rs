//! Errors of files of commands.

use std::path::PathBuf;

use iai_callgrind_base::FileError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of the parser of a value.
pub(crate) type ValueError = Box<dyn std::error::Error + Send + Sync>;

/// A reason why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// The commands are wrong.
    #[error("{0}")]
    Commands(#[from] CommandsError),
}

/// A reason why commands can't be made to a plan.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum CommandsError {
    #[error("can't read the commands in {}: {source}", path.display())]
    File { path: PathBuf, source: Box<toml::de::Error> },
    #[error("can't use `{name}` in {}: `{key}`: {source}", path.display())]
    Entry { path: PathBuf, name: String, key: String, source: ValueError },
    #[error(
        "there are {names} names for {commands} commands\nhelp: give each command at most one --name"
    )]
    TooManyNames { names: usize, commands: usize },
    #[error(
        "can't run a command: there is no program\nhelp: write its name or its path after `--`"
    )]
    NoProgram,
}
