//! Reasons why a single benchmark fails, in the words that the user reads. `tool/measurement.rs`
//! has those of tools, `run/error.rs` those of commands, hooks and directories.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use iai_callgrind_plan::ExitWith;
use iai_callgrind_plan::protocol::{FAILED, NOT_SENT};
use iai_callgrind_process::{FOREIGN_MESSAGE, Limit};
use iai_callgrind_tools::executable::Executable;
use iai_callgrind_tools::valgrind::UnknownInstruction;
use iai_callgrind_tools::valgrind::log::REFUSED;

/// Reason and help for a file that the limit of file sizes truncated, or whose write ended the
/// process.
pub(crate) const FILE_SIZE: &str = "a file is larger than the limit\nhelp: raise the limit of file sizes with \
                                    `ulimit -f`: it also applies to the files of the tool";

/// A reason why a benchmark failed while the run goes on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{}", end_of_benchmark(*.status))]
    Ended { status: ExitStatus },
    #[error("{}", unexpected_end(*.status, .expected))]
    UnexpectedEnd { status: ExitStatus, expected: ExitWith },
    #[error(
        "the benchmark closed or replaced the descriptors of the harness\nhelp: close only those that it opened"
    )]
    DescriptorsClosed,
    #[error("{FOREIGN_MESSAGE}")]
    ForeignMessage,
    #[error(
        "its end was not seen, so there is no result\nhelp: check whether it, or the code between the benchmarks, waits \
         for processes that it did not start"
    )]
    NoEnd,
    #[error(
        "the benchmark ended the process that it was forked from ({status})\nhelp: {}", if status.signal().is_some() {
            "send signals to other processes than the parent process"
        } else {
            "check code between the benchmarks that exits, or that closes or replaces descriptors which it did not open"
        }
    )]
    ServerEnded { status: ExitStatus },
    #[error("{} was killed by signal 4 (SIGILL): {instruction}", subject(*.is_command))]
    UnknownInstruction { is_command: bool, instruction: UnknownInstruction },
    #[error(
        "{} had more threads at once than Valgrind allows, 500 by default\nhelp: raise the limit with \
         `--valgrind-args=--max-threads=5000`", subject(*.is_command)
    )]
    TooManyThreads { is_command: bool },
    #[error("{0}")]
    Exceeded(Limit),
    #[error("{place}: {cause}")]
    CodeBetween { place: String, cause: Box<Failure> },
    #[error(
        "{}", if *.panicked {
            "the file panicked under Valgrind before it came to the benchmark"
        } else {
            "the file has the benchmark natively, but not under Valgrind\nhelp: check conditions on the \
             features of the CPU and on environment variables, which are cleared"
        }
    )]
    NotReached { panicked: bool },
    #[error("{FILE_SIZE}")]
    FileSize,
    #[error("not in the baseline `{baseline}`")]
    NotInBaseline { baseline: String },
    #[error("did not run: {0}")]
    DidNotRun(Prerequisite),
    #[error("skips itself: {reason}")]
    Skipped { reason: String },
    #[error(
        "can't count {program}: it is built with {name}, which does not run under Valgrind\nhelp: build it \
         without the sanitizer; benchmark files run with it natively: `cargo test --benches`, in C++ \
         `--benchmark_dry_run`"
    )]
    Sanitizer { program: String, name: &'static str },
}

/// System errors that another process can cause. A missing file is not one of them, because most
/// never existed.
const OF_OTHER_PROCESSES: [&str; 8] = [
    "Address already in use",
    "Connection refused",
    "Device or resource busy",
    "Directory not empty",
    "File exists",
    "Resource temporarily unavailable",
    "Text file busy",
    "is locked",
];

/// Returns the help for the output of a panic that refers to a variable, which the cleared environment does not have.
pub(crate) fn help_for_backtrace(output: &[(&str, String)]) -> Option<&'static str> {
    const NOTE: &str = "note: run with `RUST_BACKTRACE=1` environment variable";
    let has_note = output.iter().any(|(_, text)| text.contains(NOTE));
    has_note.then_some("the benchmark sees RUST_BACKTRACE with --envs=RUST_BACKTRACE=1")
}

/// Returns the help for the output of a benchmark that opened too many files, if the shell's limit
/// is higher.
pub(crate) fn help_for_open_files(output: &[(&str, String)]) -> Option<&'static str> {
    let is_reason = output.iter().any(|(_, text)| text.contains("Too many open files"));
    is_reason
        .then_some("a benchmark can open 1012 files, or as many as the shell with --native=limits")
}

/// Returns the help for the output of Valgrind about a program that it does not run.
pub(crate) fn help_for_other_user(output: &[(&str, String)]) -> Option<&'static str> {
    let is_reason = output.iter().any(|(_, text)| text.contains(REFUSED));
    is_reason.then_some(
        "Valgrind runs no program that changes its user or has capabilities, such as sudo: start the whole run as that user, or \
         the program in the setup",
    )
}

/// Returns the help for the output of a Valgrind that ended because it can't read the debug information of a program.
pub(crate) fn help_for_debug_information(output: &[(&str, String)]) -> Option<&'static str> {
    let is_reason =
        output.iter().any(|(_, text)| text.contains("Possibly corrupted debuginfo file"));
    is_reason.then_some(
        "this Valgrind does not know the debug information: compile with `-gdwarf-4`, in Rust with `-C dwarf-version=4`, or \
         install Valgrind 3.20 or later",
    )
}

impl Failure {
    /// Returns the reason why an executable can't run under Valgrind, if there is one.
    pub(crate) fn of_executable(executable: &Executable) -> Result<(), Self> {
        match executable.sanitizer {
            None => Ok(()),
            Some(name) => Err(Self::Sanitizer { program: executable.path.clone(), name }),
        }
    }

    /// Returns the reason for the unexpected end of a benchmark's process with this status.
    pub(crate) fn of_status(status: ExitStatus) -> Self {
        match status.code() {
            Some(NOT_SENT) => Self::DescriptorsClosed,
            _ => Self::Ended { status },
        }
    }

    /// Returns the help for a benchmark that failed next to others and printed this text. Only a
    /// system error is a sign that the others are involved.
    pub(crate) fn help_next_to_others(&self, output: &str) -> Option<&'static str> {
        let (Self::Ended { status } | Self::UnexpectedEnd { status, .. }) = self else {
            return None;
        };
        let is_of_others = OF_OTHER_PROCESSES.iter().any(|error| output.contains(error));
        (status.code().is_some() && is_of_others).then_some(
            "if it shares files or ports with other benchmarks, run one at a time with --parallel=1",
        )
    }
}

/// Returns the subject of a sentence about the end of a process.
fn subject(is_command: bool) -> &'static str {
    if is_command { "the command" } else { "the benchmark" }
}

/// A step that must succeed before a benchmark runs.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(crate) enum Prerequisite {
    #[error("the setup of the file failed")]
    FileSetup,
    #[error("the setup of its group failed")]
    GroupSetup,
    #[error("something before it failed")]
    Setup,
    #[error("the code of the file before it did not end")]
    Code,
}

/// Describes the end of the process of a library benchmark.
fn end_of_benchmark(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(libc::SIGXFSZ), _) => {
            format!("the benchmark was killed by {}: {FILE_SIZE}", signal(status))
        }
        (Some(_), _) => format!("the benchmark was killed by {}", signal(status)),
        (None, Some(101)) => "the benchmark panicked".to_owned(),
        (None, Some(FAILED)) => "the benchmark failed".to_owned(),
        (None, _) => format!("the benchmark ended its process with {status}"),
    }
}

/// Describes the unexpected end of a command.
fn unexpected_end(status: ExitStatus, expected: &ExitWith) -> String {
    match (status.code(), expected) {
        (Some(code), _) => {
            format!("the command ended with exit code {code}, but {}", expectation(expected))
        }
        (None, ExitWith::Signal(_) | ExitWith::Signals(_)) => {
            format!("the command was killed by {}, but {}", signal(status), expectation(expected))
        }
        (None, _) => format!("the command was killed by {}", signal(status)),
    }
}

/// Describes the expected end of a command: `exit code 3 is expected`.
fn expectation(expected: &ExitWith) -> String {
    match expected {
        ExitWith::Success => "success is expected".to_owned(),
        ExitWith::Failure => "failure is expected".to_owned(),
        ExitWith::Code(code) => format!("exit code {code} is expected"),
        ExitWith::Signal(signal) => format!("signal {signal} is expected"),
        ExitWith::Signals(signals) => format!("one of the signals {signals:?} is expected"),
    }
}

/// Returns the signal of an exit status: `signal 11 (SIGSEGV)`.
fn signal(status: ExitStatus) -> String {
    // The standard library writes `signal: 11 (SIGSEGV)`
    status.to_string().replacen(':', "", 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn code_of_a_file_is_named_by_its_place() {
        let place = "the code before file::group::first".to_owned();
        let limit = Duration::from_secs(60);
        for (cause, reason) in [
            (Limit::Duration(limit), "timed out after 60s and was killed\n"),
            (Limit::Stillness(limit), "no thread ran for 60s, so it was killed\n"),
        ] {
            let text = Failure::CodeBetween {
                place: place.clone(),
                cause: Failure::Exceeded(cause).into(),
            }
            .to_string();
            assert!(text.starts_with(&format!("{place}: {reason}help: ")), "{text}");
        }
    }

    #[test]
    fn signals_are_blamed_for_a_signal_only() {
        let text =
            |raw: i32| Failure::ServerEnded { status: ExitStatus::from_raw(raw) }.to_string();
        assert!(text(9).contains("help: send signals to other"), "{}", text(9));
        for code in [0, 1] {
            let text = text(code << 8);
            assert!(!text.contains("signals") && text.contains("descriptors"), "{text}");
        }
    }

    #[test]
    fn the_help_fits_the_output() {
        let status = |status: i32| ExitStatus::from_raw(status);
        let ended = |raw: i32| Failure::Ended { status: status(raw) };
        let panic = "thread 'main' panicked at a.rs:1:1:\nattempt to divide by zero\nnote: run with \
                     `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let in_use = "Error: Address already in use (os error 98)\n";
        assert_eq!(ended(101 << 8).help_next_to_others(panic), None);
        assert!(ended(101 << 8).help_next_to_others(in_use).is_some());
        assert_eq!(ended(libc::SIGFPE).help_next_to_others(in_use), None);
        let unexpected =
            Failure::UnexpectedEnd { status: status(1 << 8), expected: ExitWith::Success };
        assert!(unexpected.help_next_to_others(in_use).is_some());
        assert_eq!(Failure::FileSize.help_next_to_others(in_use), None);
        let missing = "Error: No such file or directory (os error 2)\n";
        assert_eq!(ended(101 << 8).help_next_to_others(missing), None);
        assert!(help_for_backtrace(&[("error output", panic.to_owned())]).is_some());
        assert_eq!(help_for_backtrace(&[("error output", in_use.to_owned())]), None);
        let files = "Os { code: 24, kind: Uncategorized, message: \"Too many open files\" }";
        assert!(help_for_open_files(&[("error output", files.to_owned())]).is_some());
        assert_eq!(help_for_open_files(&[("error output", in_use.to_owned())]), None);
        let sudo = "==7== Warning: Can't execute setuid/setgid/setcap executable: /usr/bin/sudo\n";
        assert!(help_for_other_user(&[("error output", sudo.to_owned())]).is_some());
        assert_eq!(help_for_other_user(&[("error output", in_use.to_owned())]), None);
        let unread = "==7== Valgrind: debuginfo reader: Possibly corrupted debuginfo file.\n";
        assert!(help_for_debug_information(&[("log", unread.to_owned())]).is_some());
        assert_eq!(help_for_debug_information(&[("log", in_use.to_owned())]), None);
    }
}
