//! Selection of the system calls that stop a process.

use crate::isolation::Isolation;

/// System calls that stop a process: thread switches, and calls whose results are fixed.
#[derive(Debug, Clone, Copy)]
pub enum StoppedCalls {
    /// System calls of a fork server's processes, in which the harness provides random numbers and
    /// clocks.
    Functions(Isolation),
    /// Those of a command.
    Command {
        /// The values that are fixed.
        isolation: Isolation,
        /// The seed of random numbers and clocks.
        seed: Option<u64>,
    },
}

/// Moment at which the threads and processes of a command get a fixed order, if they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadOrder {
    /// Never.
    None,
    /// When a process asks for it, as the harness does.
    OnRequest,
    /// Before the command starts its first thread or process.
    FromFirstFork,
}
