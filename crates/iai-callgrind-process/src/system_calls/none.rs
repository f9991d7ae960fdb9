//! Platforms on which no system call can be answered.

use std::process::Command;

use crate::Result;
use crate::stopped_calls::{StoppedCalls, ThreadOrder};

/// Returns `false`: no process gets the CPU.
pub fn is_only_cpu() -> bool {
    false
}

/// Answers of no system calls.
#[derive(Debug)]
pub enum SystemCallAnswers {}

impl SystemCallAnswers {
    /// Has no caller.
    pub fn has_clock_leapt(&self) -> bool {
        match *self {}
    }
}

/// Commands keep the system calls of the system, so there is no value of this type.
#[derive(Debug)]
pub enum FixedSystemCalls {}

impl FixedSystemCalls {
    /// Returns `None`.
    pub fn prepare(_: &mut Command, _: StoppedCalls, _: ThreadOrder) -> Result<Option<Self>> {
        Ok(None)
    }

    /// Has no caller.
    pub fn answer(self) -> Result<Option<SystemCallAnswers>> {
        match self {}
    }
}

/// Returns `false`.
pub fn can_stop_calls() -> Result<bool> {
    Ok(false)
}

/// Does nothing.
pub fn hide_auxiliary_vector(_: &mut Command) {}

/// Does nothing: no process has a real-time priority.
#[cfg(target_os = "linux")]
pub(super) fn take_real_time(_: libc::pid_t) {}
