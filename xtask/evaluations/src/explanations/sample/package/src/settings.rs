//! Settings of the other modules.

/// Number of rounds.
pub const ROUNDS: u32 = 4;

/// Number of threads.
pub const THREADS: usize = 2;
