//! A work tree with its repository. Each call of git names both, so that it never searches for a repository above.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use iai_callgrind_process::error_text;

use super::error::GitError;
use crate::error::Result;

/// Variables that select another repository, index or work tree, or parts of them. Git sets them for hooks and for
/// `git rebase --exec`. The configuration in variables is not among them: it is the user's.
const SELECTING: [&str; 18] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings of each call: no program that the repository configures runs, nothing is tidied up, no change is hidden, and
/// submodules are left alone unless a command names them.
const SETTINGS: [&str; 9] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "status.showUntrackedFiles=normal",
    "diff.ignoreSubmodules=none",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
];

/// A work tree and its repository.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// The top directory of the work tree.
    pub top: PathBuf,
    /// The directory with the index and `HEAD` of this work tree.
    pub directory: PathBuf,
    /// The directory of the repository, with the objects and branches of all work trees.
    pub common: PathBuf,
}

impl Checkout {
    /// Finds the checkout that contains this directory.
    pub fn find(directory: &Path) -> Option<Self> {
        let output = search(directory).ok()?;
        let lines = output.stdout.strip_suffix(b"\n").filter(|_| output.status.success())?;
        let paths = lines.split(|byte| *byte == b'\n').map(|path| OsStr::from_bytes(path).into());
        // A path with a newline is not supported
        let [top, directory, common] = paths.collect::<Vec<_>>().try_into().ok()?;
        Some(Self { top, directory, common })
    }

    /// Returns the error of git about a repository that it finds around this directory, but does not use: it belongs to
    /// another user, for example. Returns `None` if there is none.
    pub fn problem(directory: &Path) -> Option<String> {
        let output = search(directory).ok().filter(|output| !output.status.success())?;
        let error = error_text(&output);
        if error.contains(NO_REPOSITORY) { damaged_repository(directory) } else { Some(error) }
    }

    /// Returns the reason why `HEAD` is not a commit.
    pub(crate) fn problem_of_head(&self) -> GitError {
        let top = self.top.clone();
        let mut command = self.command(&["log", "--max-count=1", "--format=%H"]);
        let output = command.env("LC_ALL", "C").output();
        let output = output.map_or_else(|error| error.to_string(), |output| error_text(&output));
        if output.contains(NO_COMMIT) {
            GitError::NoCommit { top }
        } else {
            GitError::DamagedHead { top, output }
        }
    }

    /// Returns the command that runs `git` with these arguments in the top directory.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = isolated();
        command.current_dir(&self.top).args(arguments);
        command.env("GIT_DIR", &self.directory).env("GIT_COMMON_DIR", &self.common);
        command.env("GIT_WORK_TREE", &self.top);
        // Submodules are repositories of their own
        if let Some(above) = self.top.parent() {
            command.env("GIT_CEILING_DIRECTORIES", above);
        }
        command
    }

    /// Runs `git` and returns its output; `None` if it fails. It does not refresh the index.
    pub fn ask_bytes<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Option<Vec<u8>> {
        let mut command = self.command(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0").stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(output.stdout)
    }

    /// Does the same for output that is text. Names of files are bytes.
    pub fn ask<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Option<String> {
        Some(String::from_utf8_lossy(&self.ask_bytes(arguments)?).into_owned())
    }

    /// Runs `git`. What it prints about an error is a part of the error.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = run(&mut self.command(arguments), arguments[0])?;
        Ok(String::from_utf8_lossy(&output).into_owned())
    }
}

/// The error of git if neither a directory nor one above it is a repository. One that it finds and can't read has a colon
/// in the place of the parenthesis.
const NO_REPOSITORY: &str = "not a git repository (or any ";

/// The error of git if nothing was committed to a branch.
const NO_COMMIT: &str = "does not have any commits yet";

/// Returns the error of git about the directory `.git` of this directory or of one above it: git leaves out one that is
/// damaged when it searches. Returns `None` if there is none, or if git can use it.
fn damaged_repository(directory: &Path) -> Option<String> {
    let mut candidates = directory.ancestors().map(|above| above.join(".git"));
    let git = candidates.find(|git| git.is_dir())?;
    let mut command = isolated();
    command.env("LC_ALL", "C").arg("--git-dir").arg(&git).args(["rev-parse", "--git-dir"]);
    let output = command.output().ok().filter(|output| !output.status.success())?;
    let help = format!("help: check `HEAD`, `objects` and `refs` in {}", git.display());
    Some(format!("{}\n{help}", error_text(&output)))
}

/// Has git search for the repository that contains this directory.
fn search(directory: &Path) -> io::Result<Output> {
    let mut command = isolated();
    // Its errors are compared
    command.env("LC_ALL", "C");
    command.arg("-C").arg(directory).args(["rev-parse", "--path-format=absolute"]);
    command.args(["--show-toplevel", "--git-dir", "--git-common-dir"]).output()
}

/// Runs this command of git and returns its output. Its errors are a part of the error.
pub fn run(command: &mut Command, name: &str) -> Result<Vec<u8>> {
    let output = iai_callgrind_process::output(command)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(GitError::Failed { command: name.to_owned(), output: error_text(&output) }.into())
}

/// Removes the variables from this command that select another repository.
pub fn forget_selection(command: &mut Command) {
    for name in SELECTING {
        command.env_remove(name);
    }
}

fn isolated() -> Command {
    let mut command = Command::new("git");
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    forget_selection(&mut command);
    command.stdin(Stdio::null());
    command
}
