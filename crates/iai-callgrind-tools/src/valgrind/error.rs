//! Errors of finding Valgrind and the program that starts it.

use std::path::PathBuf;

/// A reason why Valgrind can't run.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each is next to it")]
pub enum ValgrindError {
    #[error(
        "can't find `valgrind` in PATH\nhelp: install it with the package manager, for example \
         `apt install valgrind` or `dnf install valgrind`"
    )]
    NoValgrind,
    #[error(
        "can't run {}: it is not a program\nhelp: set --valgrind-path or IAI_CALLGRIND_VALGRIND_PATH to the path of \
         `valgrind`", program.display()
    )]
    NotValgrind { program: PathBuf },
    #[error(
        "{} is not Valgrind: `--version` printed {}\nhelp: set --valgrind-path or IAI_CALLGRIND_VALGRIND_PATH to \
         the path of `valgrind`", program.display(), first_line(printed)
    )]
    OtherProgram { program: PathBuf, printed: String },
    #[error(
        "{} does not run: {message}\nhelp: install Valgrind with its tools, and check the variable VALGRIND_LIB if it \
         is set", program.display()
    )]
    BrokenValgrind { program: PathBuf, message: String },
    #[error(
        "can't run {}: it is not a program\nhelp: set --tool-runner or IAI_CALLGRIND_TOOL_RUNNER to a program in PATH or \
         to its path", program.display()
    )]
    NoToolRunner { program: PathBuf },
    #[error(
        "can't use --tool-runner-args: there is no variable `{name}`\nhelp: set it in the environment or with \
         --envs"
    )]
    UnknownVariable { name: String },
}

/// Quotes the first line of a text.
fn first_line(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("{:?}", line.chars().take(LONGEST).collect::<String>()),
        None => "nothing".to_owned(),
    }
}
