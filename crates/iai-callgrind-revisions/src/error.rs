//! The errors of this crate. Those of git are in a file of its own.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use iai_callgrind_base::FileError;
use iai_callgrind_process::ProcessError;
use iai_callgrind_store::OutputError;

use crate::git::error::GitError;

/// The result of an operation of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A reason why another revision can't be found, built or measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file can't be read or written.
    #[error("{0}")]
    File(#[from] FileError),
    /// A process can't be started, or the run is interrupted.
    #[error("{0}")]
    Process(#[from] ProcessError),
    /// The directory of results can't be used.
    #[error("{0}")]
    Store(#[from] iai_callgrind_store::Error),
    /// Git does not find the revision.
    #[error("{0}")]
    Git(#[from] GitError),
    /// The revision can't be measured.
    #[error("{0}")]
    Against(#[from] AgainstError),
}

impl From<OutputError> for Error {
    fn from(error: OutputError) -> Self {
        Self::Store(error.into())
    }
}

impl Error {
    /// Converts an I/O error to one that names the attempted action and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| FileError::io(action, path)(source).into()
    }
}

/// A reason why another revision can't be measured.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum AgainstError {
    #[error(
        "can't copy {}: it has more than {most} files\nhelp: look for symbolic links to directories above it",
        directory.display()
    )]
    TooManyFiles { directory: PathBuf, most: usize },
    #[error(
        "can't use --against with commands: there is no benchmark file to build\nhelp: save a baseline in a \
         checkout of the revision, and compare with --baseline"
    )]
    Commands,
    #[error(
        "can't count layout {layout} of the benchmark file ({status}): the errors of its benchmarks are above\nhelp: leave \
         a benchmark out with a filter or --skip"
    )]
    CountLayout { layout: u32, status: ExitStatus },
    #[error(
        "can't put `{}` into the other revision: the path leads out of it\nhelp: leave out --against-benches=here, or \
         compare with a revision without a symbolic link there", path.display()
    )]
    OutsideOfRevision { path: PathBuf },
    #[error(
        "can't build another revision: cargo did not start this run\nhelp: run the benchmarks with `cargo bench`, or name \
         the command that builds them with --build"
    )]
    NoCargo,
    #[error(
        "`cargo metadata` failed in the other revision\n{output}\nhelp: a path that leads out of the repository starts at \
         your work tree; put the missing file there, or compare with another revision"
    )]
    CargoMetadata { output: String },
    #[error("{}", benchmark_file(.file, .packages))]
    BenchmarkFile { file: String, packages: Vec<String> },
    #[error(
        "can't build the benchmark file `{file}` of {revision}: the errors of cargo are above\nhelp: \
         --against-benches=here builds it with the benchmark files of this side"
    )]
    BuildRevision { file: String, revision: String },
    #[error(
        "can't build {revision}: `{command}` failed ({status}): its output is above\nhelp: run the command in a checkout of \
         the revision to find out what is missing"
    )]
    BuildCommand { command: String, revision: String, status: ExitStatus },
    #[error(
        "can't build {revision}: `{command}` makes no {}\nhelp: --build must make the executable at the same path as on \
         this side",
        executable.display()
    )]
    NoExecutable { command: String, executable: PathBuf, revision: String },
    #[error(
        "can't build another revision: {} is not in the work tree\nhelp: build in a directory of the work tree",
        path.display()
    )]
    OutsideOfTree { path: PathBuf },
    #[error(
        "can't build commits with a command: no benchmark executable started this subcommand\nhelp: start the executable \
         that the command makes, as in `build/bench bisect`, or leave out --build"
    )]
    NotStartedByExecutable,
    #[error(
        "can't measure commits: {} does not list its benchmarks\nhelp: build it, and check whether its code fails before \
         the benchmarks",
        path.display()
    )]
    NoPlanHere { path: PathBuf },
    #[error(
        "can't link other layouts with `{command}`: only cargo links them\nhelp: leave out --time-layouts"
    )]
    OnlyCargo { command: String },
    #[error(
        "the benchmarks of {revision} failed ({status}): their errors are above\nhelp: leave a benchmark out with a \
         filter or --skip, or compare with a revision whose library has these options"
    )]
    RunRevision { revision: String, status: ExitStatus },
    #[error(
        "can't time {revision}: its version of iai-callgrind can't time, or its code did not reach the \
         benchmarks\nhelp: compare its counts without --time"
    )]
    NoPlan { revision: String },
    #[error(
        "can't link the benchmark file `{file}` with another layout: the errors of cargo are above\nhelp: \
         --time-layouts needs a linker with `--randomize-section-padding`, such as the rust-lld of Rust 1.90 or later: \
         remove the configuration of another linker"
    )]
    Layout { file: String },
    #[error(
        "can't link the benchmark file `{file}` with another layout: `cargo rustc` builds it with other features or \
         dependencies than this run, or does not say with which\nhelp: select the package with `--package`, so that its \
         features do not depend on other packages"
    )]
    OtherBuild { file: String },
    #[error(
        "can't find out what `cargo {name}` does\n{output}\nhelp: start the run with `cargo bench` and its arguments"
    )]
    Alias { name: String, output: String },
}

/// Describes a benchmark file that no package has, or several.
fn benchmark_file(file: &str, packages: &[String]) -> String {
    if packages.is_empty() {
        format!(
            "there is no benchmark file `{file}` here\nhelp: start in the package or in its workspace"
        )
    } else {
        let packages = packages.join(", ");
        format!(
            "several packages have a benchmark file `{file}`: {packages}\nhelp: name one with --package"
        )
    }
}
