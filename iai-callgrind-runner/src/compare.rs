//! Comparison of new values with old ones.

mod change;
mod judgement;
mod limits;
mod noise;

pub(crate) use change::Change;
pub(crate) use judgement::{JudgedMetric, Judgement, is_better_if_higher, judge};
pub(crate) use limits::{Broken, LearnedLimit, Limits, Regression};
pub(crate) use noise::{LEAST_PAIRS, Noise, NoiseFloor, Observations, WithinNoise};
