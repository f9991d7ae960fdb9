//! New values against old ones.

mod change;
mod limits;

pub(crate) use change::Change;
pub(crate) use limits::{Broken, Limits, Regression};
