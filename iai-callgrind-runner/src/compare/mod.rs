//! Comparison of new values with old ones.

mod change;
mod limits;

pub(crate) use change::Change;
pub(crate) use limits::{Broken, Limits, REGRESSED, Regression};
