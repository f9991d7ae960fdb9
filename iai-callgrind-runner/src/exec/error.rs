//! Errors of commands without a benchmark file.

use std::path::PathBuf;

/// The error of the parser of a value.
pub(crate) type ValueError = Box<dyn std::error::Error + Send + Sync>;

/// A reason why commands can't be made to a plan.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandsError {
    #[error("can't read the commands in {}: {source}", path.display())]
    File { path: PathBuf, source: Box<toml::de::Error> },
    #[error("can't use `{name}` in {}: `{key}`: {source}", path.display())]
    Entry { path: PathBuf, name: String, key: String, source: ValueError },
    #[error(
        "there are {names} names for {commands} commands\nhelp: give each command at most one --name"
    )]
    TooManyNames { names: usize, commands: usize },
}
