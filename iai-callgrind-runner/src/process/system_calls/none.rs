//! Platforms on which no system call can be answered.

use std::process::Command;

/// Commands keep the system calls of the system, so there is no value of this type.
#[derive(Debug)]
pub(crate) enum FixedSystemCalls {}

impl FixedSystemCalls {
    /// Returns `None`.
    pub(crate) fn prepare(_: &mut Command, _: u64) -> Option<Self> {
        None
    }

    /// Never called.
    pub(crate) fn answer(self) -> Option<()> {
        match self {}
    }
}

/// Does nothing.
pub(crate) fn hide_auxiliary_vector(_: &mut Command) {}
