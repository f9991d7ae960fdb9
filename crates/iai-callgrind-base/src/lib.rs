//! Code that all crates of the runner share: the console, errors of files, notes on the standard error, and numbers as
//! people read them.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only `console` writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

use std::path::{Path, PathBuf};

pub mod console;
mod file_error;
mod hash;
pub mod input;
pub mod invocation;
mod json;
mod malformed;
mod natural;
pub mod note;
pub mod numbers;
pub mod similar;
mod text_width;

pub use self::file_error::FileError;
pub use self::hash::hash;
pub use self::json::read_json;
pub use self::malformed::MalformedFile;
pub use self::natural::Natural;
pub use self::text_width::{
    ELLIPSIS, last_column, name_above, name_width, shortened, surplus, text_width, wrapped,
};

/// A file of a result that is still in the staging directory.
#[derive(Debug)]
pub struct StagedFile {
    /// The part of its name after that of the result.
    pub extension: String,
    /// The path of the file.
    pub file: PathBuf,
}

/// Returns the line of a help, if there is one.
pub fn help_line(help: Option<&str>) -> String {
    help.map(|help| format!("\nhelp: {help}")).unwrap_or_default()
}

/// Returns the directory of the workspace of this package, in which cargo writes the lock file.
pub fn workspace_directory(package: &Path) -> PathBuf {
    let mut directories = package.ancestors();
    let found = directories.find(|directory| directory.join("Cargo.lock").is_file());
    found.unwrap_or(package).to_owned()
}
