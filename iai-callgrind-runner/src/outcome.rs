//! Outcomes of a command and their exit codes.

use std::process::ExitCode;

use iai_callgrind_render::report::Tally;

use crate::error::Error;

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandOutcome {
    Success,
    /// A benchmark or the command itself failed.
    Failed,
    /// The arguments are invalid, in a way that their parser does not detect.
    WrongArguments,
    /// A benchmark exceeds a limit.
    Regressed,
    /// A benchmark failed in a run with the output of libtest.
    TestFailed,
    /// A signal ended the run.
    Interrupted {
        signal: i32,
    },
}

/// The exit code of a command in which a benchmark exceeds a limit.
pub(crate) const REGRESSED: u8 = 3;

/// Exit code of a command with invalid arguments.
const WRONG_ARGUMENTS: u8 = 2;

/// The exit code of libtest when a test fails.
const TEST_FAILED: u8 = 101;

impl CommandOutcome {
    /// Returns the outcome of a run with these numbers.
    pub(crate) fn of_run(tally: &Tally) -> Self {
        match *tally {
            Tally { interrupted: Some(signal), .. } => Self::Interrupted { signal },
            Tally { failed: 0, hooks_failed: 0, regressed, differs_from_snapshot, .. } => {
                Self::of_comparison(regressed > 0 || differs_from_snapshot)
            }
            _ => Self::Failed,
        }
    }

    /// Returns the outcome of a comparison, by whether its limits are met.
    pub(crate) fn of_comparison(has_regressed: bool) -> Self {
        if has_regressed { Self::Regressed } else { Self::Success }
    }

    /// Returns the outcome of a command that failed with this error.
    pub(crate) fn of_error(error: &Error) -> Self {
        match error {
            Error::Interrupted { signal } => Self::Interrupted { signal: *signal },
            error if error.is_of_arguments() => Self::WrongArguments,
            _ => Self::Failed,
        }
    }
}

impl From<CommandOutcome> for ExitCode {
    fn from(outcome: CommandOutcome) -> Self {
        match outcome {
            CommandOutcome::Success => Self::SUCCESS,
            CommandOutcome::Failed => Self::FAILURE,
            CommandOutcome::WrongArguments => Self::from(WRONG_ARGUMENTS),
            CommandOutcome::Regressed => Self::from(REGRESSED),
            CommandOutcome::TestFailed => Self::from(TEST_FAILED),
            // Shells report a signal in the same way
            CommandOutcome::Interrupted { signal } => {
                u8::try_from(128 + signal).map_or(Self::FAILURE, Self::from)
            }
        }
    }
}
