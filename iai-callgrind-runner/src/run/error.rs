//! Errors of a run as a whole, and of commands, hooks and directories of benchmarks.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;

use iai_callgrind_process::Limit;
use iai_callgrind_tools::valgrind::UnknownInstruction;

use crate::failure::FILE_SIZE;

/// A reason why the benchmarks can't run, or can't be compared with old results.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error(
        "{} ended before the benchmarks did{}{}", program.display(),
        status.map(end_of_server).unwrap_or_default(),
        instruction.as_ref().map(|instruction| format!(": {instruction}")).unwrap_or_default()
    )]
    ServerEnded {
        program: PathBuf,
        status: Option<ExitStatus>,
        instruction: Option<UnknownInstruction>,
    },
    #[error(
        "there is no subcommand `{name}`, and no benchmark with it in its name\n\
         help: did you mean `{subcommand}`? A filter is also written `--filter={name}`"
    )]
    UnknownSubcommand { name: String, subcommand: String },
    #[error(
        "none of these benchmarks has a baseline `{name}`\nhelp: {}save one with \
         --save-baseline={name}", similar.as_ref().map_or_else(String::new, |question| format!("{question} or "))
    )]
    NoBaseline { name: String, similar: Option<String> },
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
    #[error(
        "the baseline `{baseline}` keeps no executable of {package}::{file} that this version can start\nhelp: save it \
         with `--time --save-baseline={baseline}` where the old code is checked out, or compare with `--against`"
    )]
    NoExecutable { baseline: String, package: String, file: String },
    #[error(
        "can't start the executable that the baseline keeps: {} is damaged\nhelp: save the baseline again with `--time \
         --save-baseline` where the old code is checked out", path.display()
    )]
    DamagedExecutable { path: PathBuf },
    #[error(
        "can't start the executable that the baseline keeps: {} was saved by an older version\nhelp: save the baseline \
         again with `--time --save-baseline` where the old code is checked out", path.display()
    )]
    NoHash { path: PathBuf },
}

/// Describes this status of Valgrind at its end.
fn end_of_server(status: ExitStatus) -> String {
    let more = match status.signal() {
        Some(libc::SIGXFSZ) => &format!(": {FILE_SIZE}"),
        None if status.success() => {
            "\nhelp: a wrapper of Valgrind must pass on the standard input and output"
        }
        _ => "",
    };
    format!(" ({status}){more}")
}

/// A reason why a command, a hook or a function in a directory of its own can't run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandFailure {
    #[error("{hook}: {limit}")]
    HookTimedOut { hook: String, limit: Limit },
    #[error("{hook} failed")]
    HookFailed { hook: String },
    #[error("no setup: the standard input of the command is the output of its setup")]
    NoSetup,
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
    #[error(
        "the path of the program {path:?} is not UTF-8 or has a line break, which Valgrind's files can't contain\nhelp: give \
         it another name"
    )]
    ProgramPath { path: PathBuf },
}
