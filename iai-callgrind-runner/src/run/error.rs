//! Errors of a run as a whole.

mod command;

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub(crate) use self::command::CommandFailure;
use crate::failure::{FILE_SIZE, UnknownInstruction};
use crate::fingerprint::{FingerprintChange, changes_text};

/// A reason why the benchmarks can't run, or can't be compared with old results.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("{}", ServerEnded { program, status: *status, instruction: instruction.as_ref() })]
    ServerEnded {
        program: PathBuf,
        status: Option<ExitStatus>,
        instruction: Option<UnknownInstruction>,
    },
    #[error(
        "none of these benchmarks has a baseline `{name}`\nhelp: {}save one with \
         --save-baseline={name}", similar.as_ref().map_or_else(String::new, |question| format!("{question} or "))
    )]
    NoBaseline { name: String, similar: Option<String> },
    #[error(
        "can't compare the baseline `{name}` with itself\nhelp: give --load-baseline and --baseline different \
         names"
    )]
    SameBaseline { name: String },
    #[error(
        "the old results are from another environment: {}\nhelp: measure both in the same one, or allow it with \
         --strict-environment=no", changes_text(.changes)
    )]
    EnvironmentDiffers { changes: Vec<FingerprintChange> },
    #[error(
        "the environment of {number} old results is not known\nhelp: measure them again with this version, or allow \
         it with --strict-environment=no"
    )]
    EnvironmentUnknown { number: usize },
    #[error(
        "can't write results to {}: the path has more than {most} bytes, the limit of Valgrind\nhelp: choose \
         another directory with --home", path.display()
    )]
    PathTooLong { path: PathBuf, most: usize },
    #[error(
        "can't run benchmarks in {path:?}: a line break in a path makes the files of Valgrind unreadable\n\
         help: move the project, or choose other directories with --home and CARGO_TARGET_DIR"
    )]
    LineBreak { path: PathBuf },
}

/// The end of Valgrind before all benchmarks ran.
struct ServerEnded<'a> {
    program: &'a Path,
    status: Option<ExitStatus>,
    instruction: Option<&'a UnknownInstruction>,
}

impl fmt::Display for ServerEnded<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ended before the benchmarks did", self.program.display())?;
        self.status.map_or(Ok(()), |status| write!(formatter, " ({status})"))?;
        if self.status.and_then(|status| status.signal()) == Some(libc::SIGXFSZ) {
            write!(formatter, ": {FILE_SIZE}")?;
        }
        if self.status.is_some_and(|status| status.success()) {
            formatter.write_str(
                "\nhelp: a wrapper of Valgrind must pass on the standard input and output",
            )?;
        }
        self.instruction.map_or(Ok(()), |instruction| write!(formatter, ": {instruction}"))
    }
}
