//! Times benchmarks without Valgrind, and compares the times of two sides.
//!
//! The sides run in pairs of processes, one pair after the other, because each process has another layout of its address
//! space. The samples of a pair alternate in random order, so that what the machine does meets both sides.
//!
//! For a profiler outside of these processes, it repeats the calls of a benchmark for a while.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod case;
mod error;
mod note;
mod options;
mod profile;
mod rounds;
mod server;
mod statistics;
pub mod text;
mod turn;
mod verdict;

pub use self::case::{CaseTimes, Pair, SideTime};
pub use self::error::{Error, Result, TimeError};
pub use self::note::TimeNote;
pub use self::options::TimeOptions;
pub use self::profile::{ProfileEvent, Profiler, Repeated};
pub use self::rounds::{Side, TimedCase, Timer};
pub use self::statistics::Estimate;
pub use self::turn::{TakeSample, Turn};
pub use self::verdict::{
    BenchmarkTime, Estimates, NeededPairs, TimeComparison, Verdict, judge, smallest_difference,
};
