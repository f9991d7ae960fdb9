//! Comparison of new values with old ones.

mod change;
mod limits;
mod noise;

pub(crate) use change::Change;
pub(crate) use limits::{Broken, LearnedLimit, Limits, Regression};
pub(crate) use noise::{LEAST_PAIRS, Noise, NoiseFloor, WithinNoise};
