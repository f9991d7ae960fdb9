//! Comparison of new values with old ones.

#![cfg(unix)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_panics_doc,
    reason = "only the runner uses it, and a panic is a mistake of its own"
)]
// Only the console writes to the standard streams, see also clippy.toml
#![warn(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod change;
mod judgement;
mod limits;
mod noise;

pub use change::Change;
pub use judgement::{JudgedMetric, Judgement, judge};
pub use limits::{Broken, LearnedLimit, LimitError, Limits, Regression};
pub use noise::{LEAST_PAIRS, Noise, NoiseFloor, Observations, WithinNoise};
