//! Platforms on which no system call can be answered.

use std::process::Command;

use crate::error::Result;
use crate::isolation::Isolation;

/// The system calls that would stop a process.
#[derive(Debug, Clone, Copy)]
#[expect(dead_code, reason = "the system answers all calls")]
pub(crate) enum StoppedCalls {
    Functions(Isolation),
    Command { isolation: Isolation, seed: Option<u64> },
}

/// The time at which threads would get a fixed order.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ThreadOrder {
    None,
    OnRequest,
    FromFirstFork,
}

/// Returns `false`: no process gets the CPU.
pub(crate) fn is_only_cpu() -> bool {
    false
}

/// Answers of no system calls.
#[derive(Debug)]
pub(crate) enum SystemCallAnswers {}

impl SystemCallAnswers {
    /// Has no caller.
    pub(crate) fn has_clock_leapt(&self) -> bool {
        match *self {}
    }
}

/// Commands keep the system calls of the system, so there is no value of this type.
#[derive(Debug)]
pub(crate) enum FixedSystemCalls {}

impl FixedSystemCalls {
    /// Returns `None`.
    pub(crate) fn prepare(
        _: &mut Command,
        _: StoppedCalls,
        _: ThreadOrder,
    ) -> Result<Option<Self>> {
        Ok(None)
    }

    /// Has no caller.
    pub(crate) fn answer(self) -> Result<Option<SystemCallAnswers>> {
        match self {}
    }
}

/// Returns `false`.
pub(crate) fn can_stop_calls() -> Result<bool> {
    Ok(false)
}

/// Does nothing.
pub(crate) fn hide_auxiliary_vector(_: &mut Command) {}
