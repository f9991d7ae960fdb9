//! Errors of files that are read and written.

use std::io;
use std::path::{Path, PathBuf};

use crate::MalformedFile;

/// A reason why a file can't be read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum FileError {
    #[error("can't {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "the file system of {} is full\nhelp: remove files or choose another directory, with --home for results \
         or TMPDIR for temporary files",
        path.display()
    )]
    Full { path: PathBuf },
    #[error(
        "can't {action} {}: {source}\nhelp: choose another directory, with --home for results or TMPDIR for temporary \
         files",
        path.display()
    )]
    ReadOnly { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "can't write {}: a file is larger than the limit\nhelp: raise the limit of file sizes with `ulimit -f`",
        path.display()
    )]
    TooLarge { path: PathBuf },
    #[error(
        "can't write results to {}: the path is not UTF-8\nhelp: choose another directory with --home", path.display()
    )]
    NotText { path: PathBuf },
    #[error(
        "can't create temporary files in {}: {source}\nhelp: set TMPDIR to a directory that you can write to",
        path.display()
    )]
    NoTemporaryDirectory { path: PathBuf, source: io::Error },
    #[error(
        "can't write {}: there is no directory {}\nhelp: create it, or name another file",
        path.display(), directory.display()
    )]
    NoDirectory { path: PathBuf, directory: PathBuf },
    #[error("can't read {}: {source}\nhelp: build it again with `cargo bench`", path.display())]
    NoExecutable { path: PathBuf, source: io::Error },
    #[error(
        "can't read {}: {source}\nhelp: make it readable, or remove it to start again without it", path.display()
    )]
    NoResult { path: PathBuf, source: io::Error },
    #[error(
        "{}:{line}: {cause}: the file is truncated or not from a known version of {tool}\nhelp: remove it to \
         start again without it", path.display()
    )]
    Malformed { path: PathBuf, line: usize, cause: MalformedFile, tool: &'static str },
    #[error(transparent)]
    NoProfile(iai_callgrind_profile::Error),
}

impl FileError {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.to_owned();
            let missing = path.parent().filter(|parent| action == "write" && is_missing(parent));
            match (source.kind(), missing.map(Path::to_owned)) {
                (io::ErrorKind::StorageFull, _) => Self::Full { path },
                (io::ErrorKind::ReadOnlyFilesystem, _) => Self::ReadOnly { action, path, source },
                (io::ErrorKind::FileTooLarge, _) if action == "write" => Self::TooLarge { path },
                (io::ErrorKind::NotFound, Some(directory)) => Self::NoDirectory { path, directory },
                _ => Self::Io { action, path, source },
            }
        }
    }

    /// Returns the error of writing to the standard output. A closed pipe is not an error: its
    /// reader has read enough, and the run must not lose results.
    pub fn of_output(result: io::Result<()>) -> Result<(), Self> {
        match result {
            Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
                let path = "the standard output".into();
                Err(Self::Io { action: "write to", path, source })
            }
            _ => Ok(()),
        }
    }
}

/// Returns `true` if there is no such directory. The empty path is the working directory.
fn is_missing(directory: &Path) -> bool {
    !directory.as_os_str().is_empty() && !directory.exists()
}

impl From<iai_callgrind_profile::Error> for FileError {
    fn from(error: iai_callgrind_profile::Error) -> Self {
        use iai_callgrind_profile::Error as Profile;
        match error {
            Profile::Io { action, path, source } => Self::io(action, &path)(source),
            Profile::Malformed { path, line, cause } => {
                let cause = MalformedFile::Profile(cause);
                Self::Malformed { path, line, cause, tool: "callgrind" }
            }
            Profile::NoDump { .. } => Self::NoProfile(error),
        }
    }
}
