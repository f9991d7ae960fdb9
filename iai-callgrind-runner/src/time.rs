//! Times benchmarks without Valgrind, and compares the times of two sides.
//!
//! The sides run in pairs of processes, one pair after the other, because each process has another layout of its address
//! space. The samples of a pair take turns in an order of chance, so that what the machine does meets both sides.

mod case;
pub(crate) mod error;
mod note;
mod options;
mod rounds;
mod server;
mod statistics;
pub(crate) mod text;
mod turn;
mod verdict;

pub(crate) use self::case::CaseTimes;
pub(crate) use self::note::TimeNote;
pub(crate) use self::options::TimeOptions;
pub(crate) use self::rounds::{Side, TimedCase, Timer};
pub(crate) use self::statistics::Estimate;
pub(crate) use self::turn::Turn;
pub(crate) use self::verdict::{
    BenchmarkTime, Estimates, NeededPairs, TimeComparison, Verdict, judge, smallest_difference,
};
