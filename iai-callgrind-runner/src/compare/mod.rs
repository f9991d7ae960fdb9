//! New values against old ones.

mod change;

pub use change::Change;
