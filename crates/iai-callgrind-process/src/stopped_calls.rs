//! The choice of the system calls that stop a process.

use crate::isolation::Isolation;

/// The system calls that stop a process: those at which threads take turns, and those whose results are fixed.
#[derive(Debug, Clone, Copy)]
pub enum StoppedCalls {
    /// Those of the processes of a fork server, whose functions have random numbers and clocks of their own.
    Functions(Isolation),
    /// Those of a command.
    Command {
        /// The values that are fixed.
        isolation: Isolation,
        /// The seed of random numbers and clocks.
        seed: Option<u64>,
    },
}

/// The moment at which the threads and processes of a command get a fixed order, if it may have one by then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadOrder {
    /// Never.
    None,
    /// When a process asks for it, as those of the harness do.
    OnRequest,
    /// Before the command starts its first thread or process.
    FromFirstFork,
}
